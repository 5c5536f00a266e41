const { PETSTORE_BASE_URL, PETSTORE_API_KEY, PETSTORE_SANDBOX_URL } = process.env

export const url = `${PETSTORE_BASE_URL}/pets`
export const headers = { authorization: `Bearer ${PETSTORE_API_KEY}` }

/** Uses up the limit of one request per minute, so that the next answer has a Retry-After of two seconds. */
export async function spendLimit() {
  const { status } = await fetch(url, { headers })
  if (status !== 200) throw new Error(`The first request is answered with ${status}.`)
  await fetch(`${PETSTORE_SANDBOX_URL}/_sandbox/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"advance":"58s"}',
  })
}

export function expectPets(pets) {
  if (pets.length !== 12) throw new Error(`12 pets expected, ${pets.length} received.`)
}
