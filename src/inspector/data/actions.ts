import { computed, effect, signal } from '@preact/signals'
import { type CallInput, callWords, lineAbout, type OperationId } from '../../control/call-words.ts'
import { plural } from '../../text/plural.ts'
import type { PageAddress } from './address.ts'
import { acting, answerOf, api, CALLER, hasState, save } from './api.ts'
import { controlOperation } from './document.ts'
import type { CallEvent, HistoryEvent } from './event.ts'
import { events, present } from './events.ts'
import { command, commandIn, go, inWorld, isAll, point, route, world } from './location.ts'
import { press } from './paced.ts'
import type { Rewind } from './types.ts'

/** An action of the page, and the command line that does the same. */
export interface Action {
  readonly command: string
  readonly run: () => Promise<unknown>
}

/** An action, and what is done with its result. */
export const andThen = ({ command, run }: Action, next: (answer: unknown) => unknown): Action => ({
  command,
  run: () => run().then(next),
})

/** An action that leads to an address, unless the user has gone elsewhere meanwhile. */
export const thenGo = <Answer>(
  { command, run }: { command: string; run: () => Promise<Answer> },
  to: (answer: Answer) => Partial<PageAddress>,
): Action => ({
  command,
  async run() {
    const from = route.peek()
    const address = to(await run())
    if (route.peek() === from) go(address)
  },
})

/** Makes a control call in the namespace of the URL. `json`: the body as text, if a value would lose digits. */
export function call<Id extends OperationId>(
  id: Id,
  input: Partial<CallInput<Id>> = {},
  json = JSON.stringify(input.body),
): Action {
  const line = callWords(id, input as CallInput<Id>)?.line
  return {
    command: line ? command(...line) : '',
    run: async () => {
      const { method, path } = await controlOperation(id)
      const params = { path: input.params, query: { namespace: world.value } }
      const init = { params, ...(json !== undefined && { body: json, bodySerializer: String }) }
      const answer = api.request(method.toLowerCase() as 'post', path as '/seed', init as never)
      // After a double click on Remove or Release it is gone already, as wanted.
      const ends = method === 'DELETE' || id === 'releaseHold'
      const isGone = ends && (await answer.catch(() => {}))?.response.status === 404
      return isGone ? undefined : await answerOf(answer)
    },
  }
}

/** With all namespaces shown, or at a point, the page has no undo: it shows the namespace of the action. */
const showUndo = () => go({ namespace: world.value, at: undefined }, true)

let rewinding: Promise<void> | undefined

/** A double click sends it once: its point or its branch is gone then. */
function sendRewind(body: Rewind): Promise<void> {
  const send = async () => {
    const { branch } = await answerOf(api.POST('/rewind', { ...inWorld(), body }))
    showUndo()
    await arrived(() => branch === undefined || events.value.some(({ id }) => id === branch))
  }
  rewinding ??= send().finally(() => (rewinding = undefined))
  return rewinding
}

/** Whether the state before an event can be shown, and the world be rewound to it. */
export const canRewind = (event: HistoryEvent): boolean =>
  hasState.value &&
  event.branch === undefined &&
  (event.kind === 'request' ? event.namespace === world.value : event.undid === undefined)

/** Rewinds to before a point. */
export const rewind = (to: string): Action => ({
  command: command('rewind', to),
  run: () => sendRewind({ to, side: 'before' }),
})

/** The words of the command line that undo a rewind. */
export const undoWords = (branch: string): string[] => ['rewind', '--undo', '--branch', branch]

/** Undoes a control call, or a rewind. */
export const undo = ({ id, undid: branch }: CallEvent): Action =>
  branch === undefined
    ? rewind(id)
    : { command: command(...undoWords(branch)), run: () => sendRewind({ undo: true, branch }) }

export const undoText = (since: number): string =>
  since === 0 ? 'Undo' : `Rewind to before it, ${plural(since, 'request')} too`

/** Copies a world to another namespace: as it is, or as it was before a point. */
export const fork = (namespace: string, into: string, at?: string): Action => ({
  command: commandIn(namespace, ...lineAbout('fork', into, ...(at ? ['--at', at, '--side', 'before'] : []))),
  async run() {
    const body = { into, ...(at && { at, side: 'before' as const }) }
    await answerOf(api.POST('/fork', { params: { query: { namespace } }, body }))
  },
})

/** The file name of the last saved recording; the page shows how to open it. */
export const saved = signal<string | undefined>(undefined)

/** Saves a recording for `petstore-sandbox replay`. */
export function saveRecording(): Action {
  const [name, file] = [world.value, `${world.value}.jsonl`]
  return {
    command: `${command('record')} > ${file}`,
    async run() {
      await save(`/recording?namespace=${encodeURIComponent(name)}`, file)
      saved.value = file
    },
  }
}

/** The name of the last control call in the history. */
const lastCall = (): string | undefined => present.value.findLast(({ kind }) => kind === 'call')?.name
/** Resolves when the last action has ended, and its event has come. */
let ended: Promise<void> = Promise.resolve()

/** Waits for the event of an action, which may come a little later than its answer, for two seconds at most. */
export async function arrived(hasCome: () => boolean): Promise<void> {
  let stop = () => {}
  await new Promise<void>((resolve) => {
    setTimeout(resolve, 2000)
    stop = effect(() => {
      if (hasCome()) resolve()
    })
  })
  stop()
}

/** The name of the control call whose undo the user has dismissed. */
export const dismissed = signal('')

/** Runs an action. It counts as one that was just done until a second after its undo can be shown. */
export async function trackAction<T>(run: () => Promise<T>): Promise<T> {
  acting.count++
  const before = lastCall()
  const result = run()
  ended = result.then(
    () => arrived(() => lastCall() !== before),
    () => {},
  )
  ended.then(() => setTimeout(() => acting.count--, 1000))
  try {
    return await result
  } finally {
    press.at = performance.now()
  }
}

/** Called when a control call has changed something. */
export function noteCall({ caller }: CallEvent): void {
  if (isAll.value && caller === CALLER) showUndo()
}

/** The last call that can be undone, the event before it, and the number of requests after it (`since`). */
export const undoable = computed(() => {
  // A proxy has no earlier states.
  if (point.value !== undefined || !hasState.value) return undefined
  const at = present.value.findLastIndex(({ kind }) => kind === 'call')
  const call = present.value[at]
  if (call?.kind !== 'call' || call.name === dismissed.value) return undefined
  const isOwn = call.undid !== undefined || call.caller === CALLER
  return isOwn ? { call, before: present.value[at - 1], since: present.value.length - at - 1 } : undefined
})

/** Undoes the last call, or the one that is under way. */
export async function undoLast(): Promise<void> {
  await rewinding?.catch(() => {})
  await ended
  if (undoable.value) await trackAction(undo(undoable.value.call).run)
}
