import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { defineConfig, type Plugin } from 'vite'
import { notices } from './notices.ts'

// Even if it has another value, as in a test: a development build would contain the paths of its sources.
process.env.NODE_ENV = 'production'

const path = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url))
const outDir = path('dist/inspector')

/** Creates the page for the address without a trailing slash, and replaces each served file by two compressed ones. */
const compressed: Plugin = {
  name: 'compressed',
  closeBundle() {
    const page = readFileSync(join(outDir, 'index.html'), 'utf8')
    writeFileSync(join(outDir, 'no-slash.html'), page.replaceAll('"./', '"./_sandbox/'))
    for (const name of readdirSync(outDir, { recursive: true, encoding: 'utf8' })) {
      if (!/\.(html|js|css)$/.test(name)) continue
      const file = join(outDir, name)
      const bytes = readFileSync(file)
      writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
      writeFileSync(
        `${file}.br`,
        brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
      )
      rmSync(file)
    }
  },
}

/** Builds the inspector. */
export default defineConfig({
  root: path('src/inspector'),
  // Relative, since a proxy may add a prefix.
  base: './',
  logLevel: 'warn',
  publicDir: false,
  build: {
    outDir,
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      plugins: [notices(join(outDir, 'THIRD-PARTY-NOTICES.txt'))],
    },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [compressed],
})
