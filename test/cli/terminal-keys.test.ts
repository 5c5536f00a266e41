import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import type { Io } from '../../src/cli/command.ts'
import { listenToTerminal, untilKey } from '../../src/cli/terminal-keys.ts'
import { createSandbox } from '../../src/compose/sandbox.ts'

const same = (text: string) => text
const paint = { dim: same, good: same, warn: same, bad: same, strong: same }

const terminal = (isTTY: boolean) => {
  const input = Object.assign(new PassThrough(), { isTTY })
  let out = ''
  let printed = ''
  const io: Io = {
    env: {},
    cwd: '/',
    input,
    out: (text) => {
      out += text
    },
    talk: (text) => {
      printed += text
    },
    paint,
    talkPaint: paint,
    talksToTerminal: true,
  }
  return { io, input, shown: () => ({ out, printed }) }
}

it('keys pressed while start runs show help, reset and clear', async () => {
  const controlToken = 'a-long-token'
  await using sandbox = await createSandbox({ listen: false, controlToken })
  await sandbox.seed({ fixture: 'empty' })
  const { io, input, shown } = terminal(true)
  const end = listenToTerminal(sandbox, io, controlToken)
  expect(shown().printed).toContain('h and Enter for help')
  input.write('h\nx\nc\nr\n')
  await expect.poll(() => shown().printed).toContain('Reset the namespace default.')
  end()
  for (const key of ['o', 'r', 'c', 'q', 'h']) expect(shown().printed).toContain(`  ${key} + Enter  `)
  expect(shown().printed).toContain('"x" is not a key; use one of these:')
  expect(shown().out).toBe('\u001b[2J\u001b[3J\u001b[H')
  expect((await sandbox.export()).pets).toHaveLength(12)
  expect((await sandbox.history()).at(-1)?.caller).toBe('command line')
})

it('stdin is not read if it is not a terminal', async () => {
  await using sandbox = await createSandbox({ listen: false })
  const { io, input, shown } = terminal(false)
  listenToTerminal(sandbox, io)
  expect(input.listenerCount('data')).toBe(0)
  expect(shown()).toEqual({ out: '', printed: '' })
})

it('exec --inspect waits for a key that is pressed after the command', async () => {
  await using sandbox = await createSandbox({ listen: false })
  const { io, input, shown } = terminal(true)
  const modes: boolean[] = []
  const raw = Object.assign(input, { setRawMode: (on: boolean) => modes.push(on) })
  // A key that is pressed while the command runs is ignored.
  input.write('x')
  let isOver = false
  const waiting = untilKey(sandbox, { ...io, input: raw }).then(() => {
    isOver = true
  })
  await expect.poll(() => input.listenerCount('data')).toBe(1)
  expect(isOver).toBe(false)
  input.write(' ')
  await waiting
  expect(shown().printed).toContain('stays open')
  expect(modes).toEqual([true, false])
})

it('exec --inspect does not wait if stdin is not a terminal', async () => {
  await using sandbox = await createSandbox({ listen: false })
  const { io, shown } = terminal(false)
  await untilKey(sandbox, io)
  expect(shown().printed).toMatch(/^--inspect waits for a key, and no terminal/)
})
