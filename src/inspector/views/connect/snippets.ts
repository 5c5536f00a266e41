/** Commands and code to paste into a project, by name. `base` ends in /v1. */
export const snippets = (base: string, key: string) => ({
  curl: `curl '${base}/pets?limit=5' -H 'Authorization: Bearer ${key}'`,
  fetch: `const response = await fetch('${base}/pets?limit=5', {
  headers: { Authorization: 'Bearer ${key}' },
})
console.log(await response.json())`,
  axios: `import axios from 'axios'

const api = axios.create({
  baseURL: '${base}',
  headers: { Authorization: 'Bearer ${key}' },
})
console.log((await api.get('/pets', { params: { limit: 5 } })).data)`,
  'openapi-fetch': `// npx openapi-typescript ${originOf(base)}/openapi.json -o animal-store.d.ts
import createClient from 'openapi-fetch'
import type { paths } from './animal-store.d.ts'

const api = createClient<paths>({
  baseUrl: '${base}',
  headers: { Authorization: 'Bearer ${key}' },
})
const { data } = await api.GET('/pets', { params: { query: { limit: 5 } } })`,
  'Vite plugin': `// vite.config.ts: the dev server answers /v1 and /_sandbox/ by a sandbox of its own
import { petstoreSandbox } from 'petstore-sandbox/vite'
import { defineConfig } from 'vite'

export default defineConfig({ plugins: [petstoreSandbox()] })`,
  'Vite proxy': `// vite.config.ts: the dev server sends /v1 on to this sandbox
import { defineConfig } from 'vite'

export default defineConfig({
  server: { proxy: { '/v1': '${originOf(base)}' } },
})`,
  Playwright: `// animals.spec.ts: PETSTORE_SANDBOX_URL=${originOf(base)} npx playwright test
import { expect, test } from 'petstore-sandbox/playwright'

test('five animals are listed', async ({ request, world }) => {
  const response = await request.get(\`\${world.baseUrl}/pets?limit=5\`, {
    headers: { Authorization: \`Bearer \${world.key()}\` },
  })
  expect(await response.json()).toHaveLength(5)
  await expect(world).toHaveNoFindings()
})`,
})

const originOf = (base: string): string => base.replace(/\/v1$/, '')
