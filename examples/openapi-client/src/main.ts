import { createStore, type Pet } from './client.js'

declare const process: { readonly env: Readonly<Record<string, string>> }
const { PETSTORE_BASE_URL = '', PETSTORE_API_KEY = '' } = process.env

const store = createStore(PETSTORE_BASE_URL, PETSTORE_API_KEY)

const created = await store.POST('/pets', { body: { name: 'Kit', categoryId: 2, status: 'pending' } })
const pet: Pet | undefined = created.data
console.log(created.response.status, pet?.name, pet?.status)

const listed = await store.GET('/pets', { params: { query: { limit: 3, status: 'pending' } } })
console.log(listed.response.status, listed.data?.length)

const read = await store.GET('/pets/{petId}', { params: { path: { petId: pet?.id ?? 0 } } })
console.log(read.response.status, read.data?.id === pet?.id)

const missing = await store.GET('/pets/{petId}', { params: { path: { petId: 999 } } })
console.log(missing.response.status, missing.error?.code, missing.error?.status)

// The types refuse values that the interface does not have.
// @ts-expect-error there is no such status
export const lost: Pet['status'] = 'lost'
// @ts-expect-error a new animal needs a category
export const incomplete = () => store.POST('/pets', { body: { name: 'Kit' } })
