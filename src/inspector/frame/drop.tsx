import { signal } from '@preact/signals'
import { answerOf, api, ORIGIN } from '../data/api.ts'
import { go, namespace } from '../data/location.ts'
import { ALL } from '../data/route.ts'
import { Act, Refused } from '../parts/act.tsx'
import { showModal } from '../parts/show-modal.ts'
import { commandLine } from '../text/commands.ts'

const dropping = signal(false)

/** A world that is dropped cannot be brought back: it is asked once. */
export function Drop() {
  const name = namespace.value
  if (name === 'default' || name === ALL) return null
  return (
    <>
      <button
        type="button"
        class="act"
        onClick={() => {
          dropping.value = true
        }}
      >
        Drop…
      </button>
      {dropping.value && <DropDialog name={name} />}
    </>
  )
}

function DropDialog({ name }: { name: string }) {
  const close = () => {
    dropping.value = false
  }
  const line = commandLine({ origin: ORIGIN, namespace: 'default' }, 'namespaces', 'drop', name)
  return (
    <dialog ref={showModal} onClose={close} aria-label={`Drop ${name}`}>
      <h2>Drop {name}?</h2>
      <p class="hint">Its pets, keys, limits, faults and requests are gone then. It cannot be undone.</p>
      <div class="acts">
        <Act
          place="drop"
          command={line}
          run={async () => {
            await answerOf(api.DELETE('/namespaces/{name}', { params: { path: { name } } }))
            close()
            go({ namespace: 'default', id: undefined })
          }}
        >
          Drop {name}
        </Act>
        <button type="button" class="act" onClick={close}>
          Keep it
        </button>
      </div>
      <Refused place="drop" />
    </dialog>
  )
}
