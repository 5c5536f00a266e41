import { useSignal } from '@preact/signals'
import { fork } from '../../data/acts.ts'
import { goTo } from '../../data/location.ts'
import { freeName } from '../../data/state.ts'
import { Act, Field, Refused } from '../../parts/act.tsx'
import { Menu } from '../../parts/menu.tsx'

/** A copy of the world as it was before a point, in a namespace of its own. */
export function ForkMenu({ from, at }: { from: string; at: string }) {
  const name = useSignal<string | undefined>(undefined)
  const into = name.value ?? freeName.value
  const { command, run } = fork(from, into, at)
  return (
    <Menu label="Fork">
      <form class="form">
        <Field label="Into the namespace" value={into} put={(text) => (name.value = text)} />
        <Act
          type="submit"
          class="primary"
          place="fork"
          always
          command={command}
          run={() => run().then(() => goTo(into))}
        >
          Fork
        </Act>
        <Refused place="fork" />
      </form>
    </Menu>
  )
}
