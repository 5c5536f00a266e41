import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addPet, asPro, startVite } from '../e2e/vite-app.ts'
import { expectLostAnswers } from './lost-answer.ts'
import { installPackage } from './npm.ts'
import { here } from './run.ts'

/** Installed under these names, so that all three can be installed together. */
describe.each(['vite6', 'vite7', 'vite8'])('the plugin in %s', (name) => {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-vite-'))
  const vite = here(`node_modules/${name}`)
  beforeAll(() => {
    cpSync(here('../../examples/vite'), folder, { recursive: true })
    installPackage(folder)
    symlinkSync(vite, join(folder, 'node_modules/vite'), 'junction')
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it('serves, and keeps its state over restarts of its server and of Vite', async () => {
    const app = await startVite(join(vite, 'bin/vite.js'), folder)
    const { id } = await (await addPet(app.origin, 'Kit')).json()
    writeFileSync(
      join(folder, 'vite.config.js'),
      `${readFileSync(join(folder, 'vite.config.js'), 'utf8')}// touched\n`,
    )
    await app.printed('server restarted')
    expect((await fetch(`${app.origin}/v1/pets/${id}`, asPro)).status).toBe(200)
    expect(await (await fetch(`${app.origin}/_sandbox/requests`)).json()).toHaveLength(2)
    await app.stop()
    const again = await startVite(join(vite, 'bin/vite.js'), folder)
    expect((await fetch(`${again.origin}/v1/pets/${id}`, asPro)).status).toBe(200)
    await again.stop()
  })

  it('lets a page detect each lost answer', async () => {
    const app = await startVite(join(vite, 'bin/vite.js'), folder)
    await expectLostAnswers(app.origin)
    await app.stop()
  })
})
