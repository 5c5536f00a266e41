import { petstoreSandbox } from 'petstore-sandbox/vite'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [petstoreSandbox({ fixture: 'sold-out' })],
})
