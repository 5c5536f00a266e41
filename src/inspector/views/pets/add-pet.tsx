import { signal } from '@preact/signals'
import { answerOf, api } from '../../data/api.ts'
import { type Field, newPetFields } from '../../data/contract.ts'
import { command, inWorld } from '../../data/location.ts'
import { petsChanged } from '../../data/world-state.ts'
import { Act, Refused } from '../../parts/act.tsx'
import { quote } from '../../text/commands.ts'
import { brief } from '../../text/text.ts'
import { kindOf, petOf } from './new-pet.ts'

const typed = signal<Readonly<Record<string, string>>>({ categoryId: '1' })

/** A form with the fields that a new pet has in the effective document. */
export function AddPet() {
  const pet = petOf(newPetFields.value, typed.value)
  return (
    <section>
      <h2>Add a pet</h2>
      <form class="form" onSubmit={(event) => event.preventDefault()}>
        {newPetFields.value.map((field) => (
          <Input key={field.name} field={field} />
        ))}
        <Act
          place="add"
          command={`printf %s ${quote(`{"pets":[${pet}]}`)} | ${command('seed', '-', '--append')}`}
          run={async () => {
            const body = `{"pets":[${pet}],"mode":"append"}`
            await answerOf(api.POST('/seed', { ...inWorld(), body: {} as never, bodySerializer: () => body }))
            petsChanged()
          }}
        >
          Add
        </Act>
      </form>
      <Refused place="add" />
    </section>
  )
}

function Input({ field }: { field: Field }) {
  const { name, isRequired, description } = field
  const choices = field.type === 'boolean' ? [true, false] : field.enum
  const value = typed.value[name] ?? ''
  const change = ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLSelectElement }) => {
    typed.value = { ...typed.value, [name]: currentTarget.value }
  }
  return (
    <label for={`new-${name}`} title={description && brief(description)}>
      <code>{brief(name, 60)}</code>
      {choices ? (
        <select id={`new-${name}`} value={value} onChange={change}>
          <option value="">{isRequired ? '' : 'none'}</option>
          {choices.map((choice) => (
            <option key={String(choice)}>{String(choice)}</option>
          ))}
        </select>
      ) : (
        <input
          id={`new-${name}`}
          value={value}
          placeholder={isRequired ? kindOf(field) : `${kindOf(field)}, optional`}
          spellcheck={false}
          onInput={change}
        />
      )}
    </label>
  )
}
