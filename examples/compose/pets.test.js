import assert from 'node:assert/strict'
import { test } from 'node:test'

const {
  PETSTORE_BASE_URL: baseUrl,
  PETSTORE_SANDBOX_URL: url,
  PETSTORE_SANDBOX_CONTROL_TOKEN: token,
} = process.env

const list = () => fetch(`${baseUrl}/pets`, { headers: { authorization: 'Bearer psk_limited' } })

test('the limit is over after a minute', async () => {
  assert.equal((await list()).status, 429)
  const response = await fetch(`${url}/_sandbox/clock`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{"advance":"61s"}',
  })
  assert.equal(response.status, 200)
  assert.equal((await list()).status, 200)
})
