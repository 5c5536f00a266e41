#!/usr/bin/env node
import module from 'node:module'

// npx installs a package also for a Node that is too old. Before Node 20.16 and 22.3 the program fails without this.
if (!process.getBuiltinModule) {
  console.error(`petstore-sandbox: Node ${process.versions.node} is too old. Use Node 20.19, 22.12 or newer`)
  process.exit(2)
}
module.enableCompileCache?.() // Node 22.8 and later: what was compiled once starts faster
const { main } = await import('../dist/cli.js')
main(process.argv)
