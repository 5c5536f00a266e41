import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { SandboxOptions } from '../config/options.ts'
import { isControlTarget } from '../control/control-path.ts'
import type { Pets, PetTable } from '../domain/pets/collection.ts'
import type { Request } from '../domain/traffic/message.ts'
import { iso } from '../domain/world/instant.ts'
import type { StoredKey, StoredNamespace } from '../domain/world/stored.ts'
import { Pseudonyms } from '../history/pseudonyms.ts'
import { Recorder } from '../history/recorder.ts'
import { RECORDING_VERSION, type RecordedNamespace, type RecordingHead } from '../history/recording.ts'
import { createRecordingFile, LONGEST_RECORDING } from '../history/recording-file.ts'
import { stringifyJson } from '../openapi/json.ts'
import { version } from '../package.ts'
import type { Internals } from './sandbox.ts'

/** What a recording has of the options: nothing that names a place on this machine, and no token. */
const RECORDED_OPTIONS = [
  ...['limits', 'decisions', 'strict', 'latency', 'now', 'freeze', 'seed', 'maxState', 'faults', 'keys'],
] as const

/** The options of a recording that a sandbox takes: a recording may come from anywhere. */
export const replayedOptions = (options: Readonly<Record<string, unknown>>): SandboxOptions =>
  Object.fromEntries(RECORDED_OPTIONS.filter((name) => name in options).map((name) => [name, options[name]]))

/** Records everything from here on in a file; returns how to end it. */
export function record(
  file: string,
  options: SandboxOptions,
  internals: Internals,
  warn: (warning: string) => void,
): () => Promise<void> {
  const { worlds, timeline, commands, settings } = internals
  const startedAt = timeline.now()
  const pseudonyms = settings.keepKeys ? undefined : new Pseudonyms()
  const learn = (keys: readonly StoredKey[]) => {
    for (const { key } of keys) pseudonyms?.add(key)
  }
  learn(internals.fixture.keys)
  learn((options.keys ?? []) as readonly StoredKey[])
  for (const world of worlds.all()) learn(world.keys.stored)
  const output = createRecordingFile(file, (reason) => stop(`it cannot be written: ${reason}`))
  let written = 0
  let isEnded = false
  const recorder = new Recorder({
    startedAt,
    pseudonyms,
    isControl: ({ target }) => isControlTarget(target),
    learn(request) {
      if (pseudonyms && isControlTarget(request.target) && request.method !== 'GET') learnFrom(request)
    },
    write(line) {
      if (isEnded) return
      const text = `${JSON.stringify(line)}\n`
      output.write(text)
      written += text.length
      if (written > LONGEST_RECORDING) {
        const size = LONGEST_RECORDING / 1024 / 1024
        recorder.end(timeline.now(), true)
        stop(`it has reached ${size} MiB; what follows is not recorded`)
      }
    },
  })
  output.write(`${stringifyJson(masked(headOf(options, internals), pseudonyms))}\n`)
  const unlisten = commands.listen(recorder.listen)
  return async () => {
    unlisten()
    recorder.end(timeline.now())
    isEnded = true
    await output.close()
  }

  function learnFrom({ target, body }: Request): void {
    for (const world of worlds.all()) learn(world.keys.stored)
    const named = /\/keys\/([A-Za-z0-9_-]+)/.exec(target)?.[1]
    if (named !== undefined) pseudonyms?.addSent(named)
    for (const [, key = ''] of Buffer.from(body ?? [])
      .toString()
      .matchAll(/"key"\s*:\s*"([A-Za-z0-9_-]+)/g))
      pseudonyms?.addSent(key)
  }

  function stop(reason: string): void {
    if (isEnded) return
    isEnded = true
    unlisten()
    warn(`The recording ${file} ends here: ${reason}.`)
  }
}

function headOf(options: SandboxOptions, internals: Internals): RecordingHead {
  const { timeline, contractText, fixture, found, settings, origin } = internals
  const given = options as Readonly<Record<string, unknown>>
  const { now } = settings
  return {
    recording: RECORDING_VERSION,
    version,
    startedAt: iso(timeline.now()),
    origin: origin(),
    options: { ...replayedOptions(given), ...(now !== undefined && { now: iso(now) }) },
    ...(settings.overlay !== undefined && { overlay: readFileSync(settings.overlay, 'utf8') }),
    contract: digestOf(contractText()),
    start: {
      fixture: { pets: fixture.pets, nextId: fixture.nextId, keys: fixture.keys },
      namespaces: Object.fromEntries([...found].map(([name, stored]) => [name, recorded(stored)])),
    },
  }
}

const digestOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`

const recorded = ({ pets, empty, keys }: StoredNamespace): RecordedNamespace => ({
  pets: tableOf(pets),
  ...(empty && { empty: tableOf(empty) }),
  keys,
})

const tableOf = (pets: Pets): PetTable => ({ pets: [...pets.values()], nextId: pets.nextId })

/** Keys of the start state and of the options stand as members named `key`. */
function masked(head: RecordingHead, pseudonyms: Pseudonyms | undefined): RecordingHead {
  if (!pseudonyms) return head
  const hide = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(hide)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        name === 'key' && typeof member === 'string' ? pseudonyms.key(member) : hide(member),
      ]),
    )
  }
  const namespaces = Object.entries(head.start.namespaces).map(([name, stored]) => [
    name,
    { ...stored, keys: hide(stored.keys) as typeof stored.keys },
  ])
  const fixture = { ...head.start.fixture, keys: hide(head.start.fixture.keys) as StoredKey[] }
  return {
    ...head,
    options: hide(head.options) as RecordingHead['options'],
    start: { fixture, namespaces: Object.fromEntries(namespaces) },
  }
}
