import assert from 'node:assert/strict'
import { it } from 'node:test'

const { PETSTORE_BASE_URL, PETSTORE_API_KEY } = process.env

it('lists the animals that are available', async () => {
  const response = await fetch(`${PETSTORE_BASE_URL}/pets?status=available`, {
    headers: { authorization: `Bearer ${PETSTORE_API_KEY}` },
  })
  const pets = await response.json()
  assert.ok(pets.length > 0)
  assert.ok(pets.every(({ status }) => status === 'available'))
})
