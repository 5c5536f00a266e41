import { expect } from 'vitest'
import { launchChromium } from '../e2e/chromium.ts'

const ROUNDS = 20

/**
 * Adds a rule that loses the answer of createPet, then loads a page of this server, which creates a pet: the page
 * sees the failure, and there is one more pet. The page is that of examples/vite.
 */
export async function expectLostAnswers(origin: string): Promise<void> {
  const control = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${origin}/_sandbox${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    expect(response.ok, path).toBe(true)
    return response.status === 204 ? undefined : response.json()
  }
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    for (let round = 0; round < ROUNDS; round++) {
      await control('POST', '/reset', {})
      const before = (await control('GET', '/export')).pets.length
      const match = { operationId: 'createPet' }
      await control('POST', '/faults', { match, effect: { wire: 'reset' }, when: 'after', times: 1 })
      await page.goto(origin)
      await page.getByLabel('Name').fill('Ghost')
      await page.getByText('requests left').waitFor()
      await page.getByRole('button', { name: 'Add' }).click()
      await page.getByText('Failed to fetch').waitFor()
      expect((await control('GET', '/export')).pets).toHaveLength(before + 1)
    }
  } finally {
    await browser.close()
  }
}
