import { transform } from 'esbuild'
import type { Plugin } from 'rolldown'

/**
 * Breaks the lines of the minified chunks: for an error that nobody has caught, Node prints the line that threw it, and a
 * chunk in one line is tens of kilobytes.
 */
export const shortLines: Plugin = {
  name: 'short-lines',
  async generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue
      const { code } = await transform(chunk.code, {
        minifyWhitespace: true,
        lineLimit: 160,
        charset: 'utf8',
      })
      chunk.code = code
    }
  },
}
