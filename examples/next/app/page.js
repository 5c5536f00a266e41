'use client'

import { useEffect, useState } from 'react'

const headers = { authorization: 'Bearer psk_pro', 'content-type': 'application/json' }

async function listPets() {
  const response = await fetch('/v1/pets', { headers })
  return { pets: await response.json(), remaining: response.headers.get('x-ratelimit-remaining') }
}

export default function Page() {
  const [{ pets, remaining }, setState] = useState({ pets: [], remaining: null })
  const refresh = async () => setState(await listPets())
  useEffect(() => {
    listPets().then(setState)
  }, [])
  const add = async (form) => {
    const body = JSON.stringify({ name: form.get('name'), categoryId: 1 })
    await fetch('/v1/pets', { method: 'POST', headers, body })
    await refresh()
  }
  return (
    <>
      <h1>Animals</h1>
      <p role="status">{remaining === null ? '' : `${remaining} requests left`}</p>
      <ul>
        {pets.map(({ id, name }) => (
          <li key={id}>{name}</li>
        ))}
      </ul>
      <form action={add}>
        <label>
          Name <input name="name" />
        </label>{' '}
        <button type="submit">Add</button>
      </form>
    </>
  )
}
