import { test as base } from '@playwright/test'

const origin = `http://localhost:${process.env.SANDBOX_PORT ?? '4010'}`

interface World {
  /** Opens the page with a key of this world. */
  open(plan?: string): Promise<void>
  /** Calls the control API for this world. */
  control(path: string, body?: object): Promise<void>
}

/** Every worker has a world of its own: its key names it. */
export const test = base.extend<{ world: World }>({
  world: async ({ page, request }, use, { parallelIndex }) => {
    const namespace = `worker-${parallelIndex}`
    const control = async (path: string, data: object = {}): Promise<void> => {
      await request.post(`${origin}/_sandbox${path}?namespace=${namespace}`, { data, failOnStatusCode: true })
    }
    await control('/reset')
    const open = async (plan = 'pro') => {
      await page.goto(`/?${new URLSearchParams({ api: `${origin}/v1`, key: `psk_${plan}.${namespace}` })}`)
    }
    await use({ open, control })
  },
})

export { expect } from '@playwright/test'
