/**
 * node:http without its ESM facade: an `import` of it reads every export, and one of them (`WebSocket`, on Node 22
 * and later) loads all of undici, which takes a quarter of the time to the first response.
 */
export const { createServer } = process.getBuiltinModule('node:http')
