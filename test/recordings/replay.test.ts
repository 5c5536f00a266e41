import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { replay } from '../../src/compose/replay.ts'
import { controlContract } from '../../src/contract/control.ts'
import { VERSION } from '../../src/contract/version.ts'
import { controlOperations } from '../../src/control/control.ts'
import { readRecordingFile } from '../../src/node/files/recording-reader.ts'
import { differenceText } from '../../src/views/replay.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))
const recordings = readdirSync(folder).filter((name) => name.endsWith('.jsonl'))

it.each(recordings)('%s replays to the same replies', async (name) => {
  const { difference, compared, commands } = await replay(folder + name)
  const text = difference && differenceText(difference)
  expect(
    text,
    `Is this reply meant to be another one? Then say so in CHANGELOG.md, and ${
      name === `${VERSION}.jsonl`
        ? 'make the recording again: npx tsx test/recordings/make.ts'
        : `put the new reply into its line of test/recordings/${name}`
    }.`,
  ).toBeUndefined()
  expect(compared).toBe(commands)
})

it('this version has a recording with every call that is a command', async () => {
  expect(recordings).toContain(`${VERSION}.jsonl`)
  const { commands } = await readRecordingFile(`${folder}${VERSION}.jsonl`)
  const contract = controlContract()
  const used = new Set(
    commands
      .filter(({ request }) => request.target.startsWith('/_sandbox'))
      .map(({ request: { method, target } }) => {
        const [path = ''] = target.slice('/_sandbox'.length).split('?')
        return contract.resolve(method, path).operation?.id
      }),
  )
  const observing = Object.entries(controlOperations).flatMap(([id, how]) => ('observe' in how ? [id] : []))
  expect(
    [...contract.operations.keys()].filter((id) => !used.has(id)).sort(),
    'Add the missing calls to STEPS in test/recordings/make.ts, and make the recording again.',
  ).toEqual(observing.sort())
})
