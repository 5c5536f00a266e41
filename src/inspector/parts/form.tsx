import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { type Action, andThen, call } from '../data/actions.ts'
import { controlInputs, type Field } from '../data/document.ts'
import { jsonOf, leavesOf, type Typed, type TypedField } from '../data/typed.ts'
import { brief } from '../text/text.ts'
import { ActionButton, Place } from './buttons.tsx'

interface FormProps {
  readonly fields: readonly Field[]
  /** The initial texts of fields, by path. */
  readonly first?: Typed
  /** Suggestions for fields whose schema has no choices, by path. */
  readonly choices?: Readonly<Record<string, readonly string[]>>
  readonly submit: string
  /** The subject of the form, to distinguish forms of one kind: `limit of listPets`. */
  readonly about?: string
  readonly class?: string
  /** Enabled even if the page shows an earlier state. */
  readonly always?: boolean
  readonly act: (typed: Typed) => Action
  /** Other actions on the entered values. */
  readonly beside?: (typed: Typed) => ComponentChildren
  readonly children?: ComponentChildren
}

const choicesOf = ({ items, enum: choices = items?.enum, type }: Field): readonly unknown[] =>
  choices ?? (type === 'boolean' ? [true, false] : [])

/** A form with a labelled input for each field. A refusal is shown below it. */
export function Form({ fields, first, choices = {}, submit, about, always, act, ...rest }: FormProps) {
  const place = useId()
  const changed = useSignal<Typed>({})
  const typed = { ...first, ...changed.value }
  const labelled = (field: TypedField) => {
    const { path, isRequired, isLong, description = '', items, typeText = '' } = field
    const [id, name] = [`${place}-${path}`, path.replaceAll('.', ' ')]
    const value = typed[path] ?? ''
    const change = (text: string) => (changed.value = { ...changed.value, [path]: text })
    const offered = choices[path] ?? choicesOf(field)
    if (items?.enum) return several(path, offered, value, change)
    const common = {
      id,
      value,
      'aria-label': about && `${name} of ${about}`,
      onInput: ({ currentTarget }: { currentTarget: { value: string } }) => change(currentTarget.value),
    }
    const typing = { ...common, placeholder: brief(description || typeText), spellcheck: false }
    return (
      <label key={path} for={id} class="quiet small" title={brief(description)}>
        {brief(name, 60)}
        {offered.length > 0 ? (
          <select {...common}>
            {!isRequired && <option value="" />}
            {offered.map((choice) => (
              <option key={String(choice)}>{String(choice)}</option>
            ))}
          </select>
        ) : isLong ? (
          <textarea rows={4} {...typing} />
        ) : (
          <input {...typing} />
        )}
      </label>
    )
  }
  return (
    <form class={rest.class ?? 'form'}>
      <Place name={place}>
        {leavesOf(fields).map(labelled)}
        <div class="actions">
          <ActionButton
            type="submit"
            class="primary"
            aria-label={about && `${submit} ${about}`}
            text={submit}
            always={always}
            {...act(typed)}
          />
          {rest.beside?.(typed)}
        </div>
        {rest.children}
      </Place>
    </form>
  )
}

/** Check boxes. `value`: a JSON array of the selected choices. */
function several(name: string, choices: readonly unknown[], value: string, change: (value: string) => void) {
  const chosen = new Set<unknown>(JSON.parse(value || '[]'))
  return (
    <fieldset key={name} class="actions" aria-label={name}>
      <span class="quiet small" aria-hidden="true">
        {brief(name, 60)}
      </span>
      {choices.map((choice) => (
        <label key={String(choice)} class="check quiet small">
          <input
            type="checkbox"
            checked={chosen.has(choice)}
            onChange={({ currentTarget: { checked } }) =>
              change(JSON.stringify(choices.filter((each) => (each === choice ? checked : chosen.has(each)))))
            }
          />
          {String(choice)}
        </label>
      ))}
    </fieldset>
  )
}

interface CallFormProps extends Omit<FormProps, 'fields' | 'act'> {
  /** The operationId of a control call. */
  readonly id: Parameters<typeof call>[0]
  /** Limits the form to these fields, in this order. */
  readonly only?: readonly string[]
  /** Receives the response. */
  readonly done?: (answer: unknown) => unknown
}

/** A form for the body of a control call, made from its document. */
export function CallForm({ id, only, done, ...rest }: CallFormProps) {
  const all = controlInputs(id)
  const inputs = only ? only.flatMap((name) => all.filter((each) => each.name === name)) : all
  const act = (typed: Typed) =>
    andThen(call(id, { body: JSON.parse(jsonOf(inputs, typed)) } as never), (answer) => done?.(answer))
  return inputs.length === 0 ? null : <Form {...rest} fields={inputs} act={act} />
}
