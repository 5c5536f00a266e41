import { expect, it } from 'vitest'
import { snippets } from '../../src/inspector/views/connect/snippets.ts'

it('every snippet has the address and the key of this sandbox if it uses them', () => {
  for (const [name, text] of Object.entries(snippets('http://localhost:5000/v1', 'psk_free.w1'))) {
    // This snippet starts its own sandbox.
    if (name === 'Vite plugin') continue
    expect(text, name).toContain('http://localhost:5000')
    if (name !== 'Vite proxy' && name !== 'Playwright') expect(text, name).toContain('psk_free.w1')
  }
})
