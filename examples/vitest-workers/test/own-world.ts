import { beforeEach } from 'vitest'

const { PETSTORE_SANDBOX_URL: sandbox, VITEST_POOL_ID: worker } = process.env

/** Every worker has a world of its own: its key names it. */
export const key = `${process.env.PETSTORE_API_KEY}.worker-${worker}`

/** Each test begins with the start fixture, full windows and real time. */
beforeEach(async () => {
  await fetch(`${sandbox}/_sandbox/reset?namespace=worker-${worker}`, { method: 'POST' })
})
