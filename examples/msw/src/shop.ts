const API = 'https://api.animal-store.test/v1'

/** The code under test has only the address of production. */
export async function soldAnimals(key: string): Promise<string[]> {
  const response = await fetch(`${API}/pets?status=sold`, { headers: { authorization: `Bearer ${key}` } })
  if (!response.ok) throw new Error(`the store answers ${response.status}`)
  return ((await response.json()) as { name: string }[]).map(({ name }) => name)
}

export async function addAnimal(key: string, name: string): Promise<number> {
  const response = await fetch(`${API}/pets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, categoryId: 1, status: 'sold' }),
  })
  return response.status
}
