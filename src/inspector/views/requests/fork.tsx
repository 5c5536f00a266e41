import { fork } from '../../data/actions.ts'
import { goTo } from '../../data/location.ts'
import { freeName } from '../../data/state.ts'
import { Form } from '../../parts/form.tsx'
import { Menu } from '../../parts/menu.tsx'

const INTO = 'into the namespace'

/** Copies the world, as it was before a point, to a new namespace. */
export const ForkMenu = ({ from, at }: { from: string; at: string }) => (
  <Menu label="Fork">
    <Form
      fields={[{ name: INTO, type: 'string', isRequired: true }]}
      first={{ [INTO]: freeName.value }}
      submit="Fork"
      always
      act={({ [INTO]: into = '' }) => {
        const { command, run } = fork(from, into, at)
        return { command, run: () => run().then(() => goTo(into)) }
      }}
    />
  </Menu>
)
