import type { Plugin } from 'rolldown'

/**
 * Loads the ES module for `require`. Node can do that by itself; Jest puts its own `require`, which cannot, in
 * the place of Node's, also in `process` and `node:module`, so Node's is fetched from outside of Jest's context.
 */
const ENTRY = `const { runInThisContext } = require('node:vm')
const { createRequire } = runInThisContext("process.getBuiltinModule('node:module')")
module.exports = createRequire(__filename)('./index.js')
`

/** Emits the entry for CommonJS, and for its types a copy of those of the ES module. */
export const commonjsEntry: Plugin = {
  name: 'commonjs-entry',
  generateBundle(_options, bundle) {
    this.emitFile({ type: 'asset', fileName: 'index.cjs', source: ENTRY })
    for (const file of Object.values(bundle)) {
      if (file.type !== 'chunk' || !/^(index|types\/.+)\.d\.ts$/.test(file.fileName)) continue
      const source = file.code.replaceAll(/(from "\..+?)\.js"/g, '$1.cjs"')
      this.emitFile({ type: 'asset', fileName: file.fileName.replace(/ts$/, 'cts'), source })
    }
  },
}
