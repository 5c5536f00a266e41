import type { Plugin } from 'rolldown'

/** Parts that Prism loads and that are not used here: other document formats, its forwarder, its logger. */
const UNUSED = [
  /^@stoplight\/http-spec\/(oas2|postman)\/operation$/,
  /^(node-fetch|https?-proxy-agent|pino)$/,
  /^(json-schema-ref-parser|jsonpath-plus)$/,
]
const EMPTY = '\0empty'

/** `url.resolve` with the WHATWG URL API, as in Node's documentation. */
const RESOLVE = `(from, to) => {
  const { href, protocol, pathname, search, hash } = new URL(to, new URL(from, 'resolve://'))
  return protocol === 'resolve:' ? pathname + search + hash : href
}`

/** Reduces Prism to a third of its size, and allows to bundle it. */
export const slimPrism: Plugin = {
  name: 'slim-prism',
  resolveId: {
    filter: { id: [...UNUSED, /^@faker-js\/faker$/, /^jsonc-parser$/] },
    handler(id, importer) {
      if (id === '@faker-js/faker') return this.resolve('@faker-js/faker/locale/en', importer)
      // The main file is UMD, whose require a bundler cannot follow.
      if (id === 'jsonc-parser') return this.resolve('jsonc-parser/lib/esm/main.js', importer)
      return EMPTY
    },
  },
  load: {
    // The package.json is for the User-Agent of requests for references to other documents.
    filter: { id: [new RegExp(`^${EMPTY}$`), /prism-http[/\\]package\.json$/] },
    handler: () => ({ code: 'module.exports = {}', moduleType: 'js' }),
  },
  transform: {
    filter: {
      id: [/uri-template-lite[/\\]index\.js$/, /json-schema-ref-parser[/\\]lib[/\\]util[/\\]url\.js$/],
    },
    handler: (code) =>
      code
        // `this` is `exports` in CommonJS; in a module it would be undefined.
        .replaceAll('this.URI', 'exports.URI')
        // Node 24 warns when it is called.
        .replaceAll('require("url").resolve', RESOLVE),
  },
}
