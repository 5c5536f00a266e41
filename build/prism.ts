import type { Plugin } from 'rolldown'

/** What Prism loads and is never made to use here: other document formats, its forwarder, its logger. */
const UNUSED = [
  /^@stoplight\/http-spec\/(oas2|postman)\/operation$/,
  /^(node-fetch|https?-proxy-agent|pino)$/,
  /^(json-schema-ref-parser|jsonpath-plus)$/,
]
const EMPTY = '\0empty'

/** Makes Prism a third of its size, and fit to be bundled. */
export const slimPrism: Plugin = {
  name: 'slim-prism',
  resolveId: {
    filter: { id: [...UNUSED, /^@faker-js\/faker$/, /^jsonc-parser$/] },
    handler(id, importer) {
      if (id === '@faker-js/faker') return this.resolve('@faker-js/faker/locale/en', importer)
      // Its main file is UMD, whose require cannot be followed.
      if (id === 'jsonc-parser') return this.resolve('jsonc-parser/lib/esm/main.js', importer)
      return EMPTY
    },
  },
  load: {
    // Its package.json is for the User-Agent with which it would follow references to elsewhere.
    filter: { id: [new RegExp(`^${EMPTY}$`), /prism-http[/\\]package\.json$/] },
    handler: () => ({ code: 'module.exports = {}', moduleType: 'js' }),
  },
  transform: {
    // Its `this` is CommonJS's `exports`; a bundler takes it for that of a module, which is undefined.
    filter: { id: /uri-template-lite[/\\]index\.js$/ },
    handler: (code) => code.replaceAll('this.URI', 'exports.URI'),
  },
}
