import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { defineConfig, type Plugin } from 'vite'
import { notices } from './notices.ts'

// Whatever it is outside, as in a test: a build for development holds the paths of its sources.
process.env.NODE_ENV = 'production'

const path = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url))
const outDir = path('dist/inspector')

/** Makes the page for the address without a slash, and puts two compressed forms in place of each file that is served. */
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
  // A proxy may put a prefix before the page.
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
