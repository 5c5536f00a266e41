import { expect, test } from 'petstore-sandbox/playwright'

test('an animal that is added is in the list', async ({ page, world }) => {
  await world.seed({ pets: [{ name: 'Rex', categoryId: 1, status: 'available' }] })
  await page.goto('/')
  await expect(page.getByRole('listitem')).toHaveText(['Rex'])
  await page.getByLabel('Name').fill('<b>Kit</b>')
  await page.getByRole('button', { name: 'Add' }).click()
  await expect(page.getByRole('listitem')).toHaveText(['Rex', '<b>Kit</b>'])
  await expect(page.getByRole('status')).toHaveText('297 requests left')
  await expect(world).toHaveReceived(
    { operationId: 'createPet', body: { name: '<b>Kit</b>' } },
    { exactly: 1 },
  )
  await expect(world).toHaveNoFindings()
})

test('a limit is shown, and the page tries again once it has passed', async ({ page, world }) => {
  await page.goto('/?key=psk_limited')
  await expect(page.getByRole('status')).toHaveText('Too many requests: trying again in 60 s')
  await world.clock.advance('61s')
  await expect(page.getByRole('status')).toHaveText('59 requests left')
  await expect(world).toHaveBackedOff()
  await expect(world).toHaveNoFindings('early-retry')
})

test('a popup is in the same world', async ({ page, world }) => {
  await world.seed({ fixture: 'empty' })
  await page.goto('/')
  const opened = page.waitForEvent('popup')
  await page.evaluate(() => window.open('/'))
  const popup = await opened
  await popup.getByLabel('Name').fill('Pop')
  await popup.getByRole('button', { name: 'Add' }).click()
  await page.reload()
  await expect(page.getByRole('listitem')).toHaveText(['Pop'])
})
