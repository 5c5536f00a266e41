import type { Plugin } from 'rolldown'

/** What Prism loads and is never made to use here: other document formats, its forwarder, its logger. */
const UNUSED = [
  /^@stoplight\/http-spec\/(oas2|postman)\/operation$/,
  /^(node-fetch|https?-proxy-agent|pino)$/,
  /^(json-schema-ref-parser|jsonpath-plus)$/,
]
const EMPTY = '\0empty'

/** `url.resolve` on the WHATWG URL API, as Node's documentation has it. */
const RESOLVE = `(from, to) => {
  const { href, protocol, pathname, search, hash } = new URL(to, new URL(from, 'resolve://'))
  return protocol === 'resolve:' ? pathname + search + hash : href
}`

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
    filter: {
      id: [/uri-template-lite[/\\]index\.js$/, /json-schema-ref-parser[/\\]lib[/\\]util[/\\]url\.js$/],
    },
    handler: (code) =>
      code
        // Its `this` is CommonJS's `exports`; a bundler takes it for that of a module, which is undefined.
        .replaceAll('this.URI', 'exports.URI')
        // Node 24 prints a warning when that is called.
        .replaceAll('require("url").resolve', RESOLVE),
  },
}
