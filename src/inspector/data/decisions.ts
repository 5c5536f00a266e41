import { effect, signal } from '@preact/signals'
import { answerOf, api, standing } from './api.ts'
import type { Decision } from './types.ts'

/** The effective decisions; they do not change while the sandbox runs. */
export const decisions = signal<readonly Decision[]>([])

effect(() => {
  if (standing.value.state !== 'live') return
  answerOf(api.GET('/decisions')).then(
    (found) => {
      decisions.value = found
    },
    () => {},
  )
})

export const effective = (name: string): unknown => decisions.value.find((each) => each.name === name)?.value
