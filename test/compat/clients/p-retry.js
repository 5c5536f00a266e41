import pRetry from 'p-retry'
import { expectPets, headers, spendLimit, url } from './store.js'

await spendLimit()
const ask = async () => {
  const response = await fetch(url, { headers })
  if (!response.ok) throw new Error(response.statusText)
  return response.json()
}
expectPets(await pRetry(ask, { minTimeout: 100, maxRetryTime: 10_000, retries: 20, factor: 1.2 }))
