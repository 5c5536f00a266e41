import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const page = readFileSync(new URL('./index.html', import.meta.url))

createServer((_, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8')
  response.end(page)
}).listen(Number(process.argv[2]))
