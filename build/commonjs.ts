import type { Plugin } from 'rolldown'

/**
 * Loads an ES module for `require`. Node's own `require` can do that. Jest replaces it, also in `process` and
 * `node:module`, by one that cannot; Node's is therefore taken from outside of Jest's context.
 */
const entryOf = (name: string) => `const { runInThisContext } = require('node:vm')
const { createRequire } = runInThisContext("process.getBuiltinModule('node:module')")
module.exports = createRequire(__filename)('./${name}.js')
`

/** Outside of that context, the module does not see the `expect` of Jest. */
const EXTEND = 'globalThis.expect?.extend(module.exports.matchers)\n'

const ENTRIES = {
  'index.cjs': entryOf('index'),
  'jest.cjs': entryOf('jest') + EXTEND,
  'playwright.cjs': entryOf('playwright'),
}

/** Emits CommonJS entries, and copies of the types of the ES modules for them. */
export const commonjsEntries: Plugin = {
  name: 'commonjs-entries',
  generateBundle(_options, bundle) {
    for (const [fileName, source] of Object.entries(ENTRIES))
      this.emitFile({ type: 'asset', fileName, source })
    for (const file of Object.values(bundle)) {
      if (file.type !== 'chunk') continue
      const name = file.fileName.replace(/\.d\.ts$/, '')
      if (!(`${name}.cjs` in ENTRIES || name.startsWith('types/'))) continue
      const source = file.code.replaceAll(/(from "\..+?)\.js"/g, '$1.cjs"')
      this.emitFile({ type: 'asset', fileName: file.fileName.replace(/ts$/, 'cts'), source })
    }
  },
}
