/** Starts that work where they are pasted; `base` ends in /v1. */
export const snippets = (base: string, key: string): readonly (readonly [name: string, text: string])[] => [
  ['curl', `curl '${base}/pets?limit=5' -H 'Authorization: Bearer ${key}'`],
  [
    'fetch',
    `const response = await fetch('${base}/pets?limit=5', {
  headers: { Authorization: 'Bearer ${key}' },
})
console.log(await response.json())`,
  ],
  [
    'axios',
    `import axios from 'axios'

const api = axios.create({
  baseURL: '${base}',
  headers: { Authorization: 'Bearer ${key}' },
})
console.log((await api.get('/pets', { params: { limit: 5 } })).data)`,
  ],
  [
    'openapi-fetch',
    `// npx openapi-typescript ${base.replace(/\/v1$/, '')}/openapi.json -o animal-store.d.ts
import createClient from 'openapi-fetch'
import type { paths } from './animal-store.d.ts'

const api = createClient<paths>({
  baseUrl: '${base}',
  headers: { Authorization: 'Bearer ${key}' },
})
const { data } = await api.GET('/pets', { params: { query: { limit: 5 } } })`,
  ],
  [
    'Vite proxy',
    `// vite.config.ts: the app calls /v1 on its own origin
import { defineConfig } from 'vite'

export default defineConfig({
  server: { proxy: { '/v1': '${base.replace(/\/v1$/, '')}' } },
})`,
  ],
  [
    'Playwright',
    `// playwright.config.ts
import { defineConfig } from '@playwright/test'

export default defineConfig({
  webServer: {
    command: 'npx petstore-sandbox start --memory --port 4010',
    url: 'http://localhost:4010/_sandbox/health',
    reuseExistingServer: true,
  },
})`,
  ],
]
