import { describe, expect, it } from 'vitest'
import type { RecordingDifference, Replay } from '../../src/past/difference.ts'
import { serviceReplayText } from '../../src/tools/replay/service-requests.ts'
import { replaySuite, replayText, wasAndIs } from '../../src/views/replay.ts'

const difference: RecordingDifference = {
  command: 7,
  request: 'GET /v1/pets',
  requestId: 'req_000003',
  where: 'status',
  was: '200',
  is: null,
}
const replay = (members: Partial<Replay> = {}): Replay => ({
  commands: 3,
  compared: 2,
  notices: [],
  ...members,
})

describe('a replay', () => {
  it.each<[Partial<Replay>, string]>([
    [{}, 'Replayed 3 commands. All 2 responses are identical.\n'],
    [{ commands: 1, compared: 1 }, 'Replayed 1 command. The response is identical.\n'],
    [{ commands: 0, compared: 0 }, 'Replayed 0 commands. No response was compared.\n'],
    [{ notices: ['a', 'b'] }, 'a\nb\nReplayed 3 commands. All 2 responses are identical.\n'],
  ])('%j', (members, text) => {
    expect(replayText(replay(members))).toBe(text)
  })

  it('names the first difference', () => {
    expect(replayText(replay({ difference }))).toBe(
      `Replayed 3 commands. The first difference is the response to command 7, req_000003: GET /v1/pets
  status
    was: 200
    is:  nothing
`,
    )
    expect(replayText(replay({ difference: { ...difference, requestId: null } }))).toContain('command 7: GET')
  })

  it('as a JUnit test, it fails with the difference', () => {
    const at = '2026-11-19T12:34:56.000Z'
    expect(replaySuite('a.jsonl', replay(), at).cases).toEqual([{ suite: 'replay', name: 'a.jsonl' }])
    expect(replaySuite('a.jsonl', replay({ difference }), at).cases[0]?.failure?.message).toBe(
      'GET /v1/pets: status',
    )
  })
})

it('a long value is cut', () => {
  const text = wasAndIs({ where: 'body', was: 'x'.repeat(500), is: 'y'.repeat(501) })
  expect(text).toContain(`was: ${'x'.repeat(500)}\n`)
  expect(text).toContain(`is:  ${'y'.repeat(500)}…\n`)
})

describe('a replay against a service', () => {
  const against = { service: 'http://a/v1', commands: 2, compared: 2, differing: 0, skipped: [], notices: [] }
  it.each([
    [{}, 'Sent 2 requests to http://a/v1. All 2 responses agree with the recording.\n'],
    [{ compared: 1 }, 'Sent 2 requests to http://a/v1. The response agrees with the recording.\n'],
    [
      {
        skipped: [
          { reason: 'fault', requests: 1 },
          { reason: 'outside', requests: 2 },
        ] as const,
        notices: ['n'],
      },
      'n\n1 request skipped: answered by a fault.\n2 requests skipped: outside /v1.\nSent 2 requests',
    ],
    [{ difference, differing: 1 }, 'is:  nothing\n'],
    [{ difference, differing: 2 }, 'is:  nothing\n1 more response differs.\n'],
    [{ difference, differing: 3 }, '2 more responses differ.\n'],
  ])('%j', (members, text) => {
    const shown = serviceReplayText({ ...against, ...members })
    expect(shown).toContain(text)
    expect(shown.includes('more resp')).toBe(('differing' in members ? members.differing : 0) > 1)
  })
})
