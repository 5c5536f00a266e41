import assert from 'node:assert/strict'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { createSandbox } from 'petstore-sandbox'

const sandbox = await createSandbox({ listen: false })
const server = setupServer(
  http.all('https://fetch.test/*', ({ request }) => sandbox.fetch(request)),
  http.all('https://handler.test/*', ({ request }) => sandbox.handler(request)),
  http.get('https://elsewhere.test/', () => HttpResponse.text('something else')),
)
server.listen({ onUnhandledRequest: 'error' })
const headers = { authorization: 'Bearer psk_pro', 'content-type': 'application/json' }
const body = JSON.stringify({ name: 'Kit', categoryId: 1 })
for (const origin of ['https://fetch.test', 'https://handler.test']) {
  const create = () => fetch(`${origin}/v1/pets`, { method: 'POST', headers, body })
  assert.equal((await create()).status, 201)
  for (const wire of ['reset', 'empty', 'garbage']) {
    const before = (await sandbox.export()).pets.length
    await sandbox.faults.add({ effect: { wire }, when: 'after', times: 1 })
    await assert.rejects(create(), TypeError, `${origin} ${wire}`)
    assert.equal((await sandbox.export()).pets.length, before + 1)
  }
  await sandbox.faults.add({ effect: { wire: 'truncate' }, times: 1 })
  await assert.rejects(
    create().then((response) => response.text()),
    `${origin} truncate`,
  )
}
assert.equal(await (await fetch('https://elsewhere.test/')).text(), 'something else')
server.close()
await sandbox.close()
console.log('all of it holds')
