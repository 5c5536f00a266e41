import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openReplay, replay } from '../../src/compose/replay.ts'
import { createSandbox } from '../../src/compose/sandbox.ts'
import { temporaryFolder } from '../support/folder.ts'
import { OVERLAY } from './commands.ts'

it('a recording has the overlay from the start of its sandbox, also after a replay', async () => {
  const folder = temporaryFolder()
  const at = (name: string) => join(folder, name)
  const [overlay, first, second] = [at('overlay.json'), at('first.jsonl'), at('second.jsonl')]
  writeFileSync(overlay, OVERLAY)
  const sandbox = await createSandbox({ listen: false, overlay })
  const removed = await sandbox.fetch('/v1/pets/1', {
    method: 'DELETE',
    headers: { authorization: 'Bearer psk_pro' },
  })
  expect(removed.status).toBe(204)
  // The overlay is edited while the sandbox runs.
  writeFileSync(overlay, OVERLAY.replace('Changes', 'Later'))
  writeFileSync(first, await sandbox.recording())
  await sandbox.close()

  const { sandbox: replayed, result } = await openReplay(first, {}, { listen: false })
  expect(result).toEqual({ commands: 1, compared: 1, notices: [] })
  writeFileSync(second, await replayed.recording())
  await replayed.close()
  expect(await replay(second)).toEqual({ commands: 1, compared: 1, notices: [] })
})
