import { computed, signal } from '@preact/signals'
import { callWords, type OperationId, type SaidCall } from '../../control/call-words.ts'
import { count } from '../text/text.ts'
import { answerOf, api, save } from './api.ts'
import { controlOperation } from './document.ts'
import type { CallEvent } from './event.ts'
import { events } from './events.ts'
import { command, commandIn, go, inWorld, point, world } from './location.ts'

/** An action of the page, and the command line that does the same. */
export interface Action {
  readonly command: string
  readonly run: () => Promise<unknown>
}

/** Makes a control call in the namespace of the URL. `json`: the body as text, if a value would lose digits. */
export function call<Id extends OperationId>(
  id: Id,
  said: Partial<SaidCall<Id>> = {},
  json = JSON.stringify(said.body),
): Action {
  const line = callWords(id, said as SaidCall<Id>)?.line
  return {
    command: line ? command(...line) : '',
    run: async () => {
      const { method, path } = await controlOperation(id)
      const params = { path: said.params, query: { namespace: world.value } }
      const init = { params, ...(json !== undefined && { body: json, bodySerializer: String }) }
      return answerOf(api.request(method.toLowerCase() as 'post', path as '/seed', init as never))
    },
  }
}

/** Rewinds to before a point. */
export const rewind = (to: string): Action => ({
  command: command('rewind', to),
  async run() {
    await answerOf(api.POST('/rewind', { ...inWorld(), body: { to, side: 'before' } }))
    go({ at: undefined }, true)
  },
})

/** Undoes a control call, or a rewind. */
export const undo = ({ id, undid: branch }: CallEvent): Action =>
  branch === undefined
    ? rewind(id)
    : {
        command: command('rewind', '--undo', '--branch', branch),
        run: () => answerOf(api.POST('/rewind', { ...inWorld(), body: { undo: true, branch } })),
      }

export const undoText = (since: number): string =>
  since === 0 ? 'Undo' : `Rewind to before it, ${count(since, 'request')} too`

/** Copies a world, as it was before a request, to another namespace. */
export const fork = (namespace: string, into: string, at: string): Action => ({
  command: commandIn(namespace, 'fork', into, '--at', at, '--side', 'before'),
  run: () =>
    answerOf(api.POST('/fork', { params: { query: { namespace } }, body: { into, at, side: 'before' } })),
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

/** How many actions of this page are in progress. A control call whose event comes meanwhile counts as one of them. */
let underWay = 0
export const isUnderWay = (): boolean => underWay > 0
/** The name of the last control call of this page, and of the one whose undo the user has dismissed. */
const own = signal('')
export const dismissed = signal('')

export async function asOwn<T>(run: () => Promise<T>): Promise<T> {
  underWay++
  try {
    return await run()
  } finally {
    // The event may come a little later than the answer.
    setTimeout(() => underWay--, 300)
  }
}
export function noteOwn({ name }: CallEvent): void {
  if (underWay > 0) own.value = name
}

/** The last call, if it can be undone: a rewind, or a control call of this page. `since`: how many requests came after it. */
export const undoable = computed<{ readonly call: CallEvent; readonly since: number } | undefined>(() => {
  const present = events.value.filter(({ branch }) => branch === undefined)
  const at = present.findLastIndex(({ kind }) => kind === 'call')
  const call = present[at]
  if (point.value !== undefined || call?.kind !== 'call' || call.name === dismissed.value) return undefined
  const isOwn = call.undid !== undefined || call.name === own.value
  return isOwn ? { call, since: present.length - at - 1 } : undefined
})
