import { expect, test } from './world.ts'

test('an animal that is added is in the list', async ({ page, world }) => {
  await world.control('/seed', { pets: [{ name: 'Rex', categoryId: 1, status: 'available' }] })
  await world.open()
  await expect(page.getByRole('listitem')).toHaveText(['Rex'])
  await page.getByLabel('Name').fill('<b>Kit</b>')
  await page.getByRole('button', { name: 'Add' }).click()
  await expect(page.getByRole('listitem')).toHaveText(['Rex', '<b>Kit</b>'])
  await expect(page.getByRole('status')).toHaveText('297 requests left')
})

test('a limit is shown, and passes', async ({ page, world }) => {
  await world.control('/clock', { frozen: true })
  await world.open('limited')
  await expect(page.getByRole('status')).toHaveText('Too many requests: try again in 60 s')
  await world.control('/clock', { advance: '60s' })
  await page.reload()
  await expect(page.getByRole('status')).toHaveText('59 requests left')
})
