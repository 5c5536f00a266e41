/** The same origin in development; the address of the real service after deployment. */
const baseUrl = import.meta.env.VITE_STORE_URL ?? '/v1'
const key = import.meta.env.VITE_STORE_KEY ?? 'psk_pro'

async function call(path, init = {}) {
  const headers = { authorization: `Bearer ${key}`, ...init.headers }
  const response = await fetch(`${baseUrl}${path}`, { ...init, headers })
  if (!response.ok) throw new Error((await response.json()).message)
  return response
}

export async function listPets() {
  const response = await call('/pets?status=available')
  return { pets: await response.json(), remaining: response.headers.get('x-ratelimit-remaining') }
}

export const addPet = (pet) =>
  call('/pets', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(pet),
  })
