import { beforeEach } from 'vitest'

const { PETSTORE_SANDBOX_URL: sandbox, VITEST_POOL_ID: worker } = process.env

/** Every worker has its own namespace, which its key contains. */
export const key = `${process.env.PETSTORE_API_KEY}.worker-${worker}`

/** Resets the namespace before each test: start fixture, full windows, real time. */
beforeEach(async () => {
  await fetch(`${sandbox}/_sandbox/reset?namespace=worker-${worker}`, { method: 'POST' })
})
