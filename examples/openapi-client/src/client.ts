import createClient from 'openapi-fetch'
import type { components, paths } from './animal-store.js'

export type Pet = components['schemas']['Pet']

export const createStore = (baseUrl: string, key: string) =>
  createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } })
