#!/usr/bin/env node
import module from 'node:module'

module.enableCompileCache?.() // Node 22.8 and later: what was compiled once starts faster
const { main } = await import('../dist/cli.js')
main(process.argv)
