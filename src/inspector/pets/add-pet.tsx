import { signal } from '@preact/signals'
import { Act, Refused } from '../frame/act.tsx'
import { answerOf, api } from '../sandbox/api.ts'
import { command, inWorld } from '../sandbox/location.ts'
import { petsChanged } from '../sandbox/world-state.ts'
import { quote } from '../text/commands.ts'

const draft = signal({ name: '', categoryId: '1', status: '' })

export function AddPet() {
  const { name, categoryId, status } = draft.value
  // Digits go in as they were typed, so that none is lost.
  const number = /^-?\d+$/.test(categoryId) ? categoryId : JSON.stringify(categoryId)
  const pet = `{"name":${JSON.stringify(name)},"categoryId":${number}${status && `,"status":"${status}"`}}`
  const body = `{"pets":[${pet}],"mode":"append"}`
  const change = (field: string) => (event: { currentTarget: HTMLInputElement | HTMLSelectElement }) => {
    draft.value = { ...draft.value, [field]: event.currentTarget.value }
  }
  return (
    <section>
      <h2>Add a pet</h2>
      <form class="form" onSubmit={(event) => event.preventDefault()}>
        <label>
          Name
          <input value={name} onInput={change('name')} />
        </label>
        <label>
          Category
          <input inputMode="numeric" value={categoryId} onInput={change('categoryId')} />
        </label>
        <label>
          Status
          <select value={status} onChange={change('status')}>
            <option value="">none</option>
            <option>available</option>
            <option>pending</option>
            <option>sold</option>
          </select>
        </label>
        <Act
          place="add"
          command={`echo ${quote(`{"pets":[${pet}]}`)} | ${command('seed', '-', '--append')}`}
          run={async () => {
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
