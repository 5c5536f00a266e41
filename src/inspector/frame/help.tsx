import { helpOpen } from '../data/panels.ts'
import { showModal } from '../parts/show-modal.ts'
import { KEYS } from './keyboard.ts'

/** The keyboard shortcuts and the syntax of the filter. */
export function Help() {
  const close = () => {
    helpOpen.value = false
  }
  return (
    <dialog class="help" ref={showModal} onClose={close} aria-label="Keys">
      <h2>Keys</h2>
      <dl>
        {KEYS.map(([keys, does]) => (
          <div key={does}>
            <dt>
              {keys.split(/ +/).map((each) => (
                <kbd key={each}>{each}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <h2>Filter</h2>
      <p class="hint">
        Words are looked for in paths, headers and bodies. <code>status:4xx</code> <code>key:psk_free</code>{' '}
        <code>operation:createPet</code> <code>decision:refused</code> <code>method:post</code>{' '}
        <code>is:warned</code> <code>finding:early-retry</code> <code>test:"adds a pet"</code>; a minus in
        front excludes.
      </p>
      <button type="button" class="act" onClick={close}>
        Close
      </button>
    </dialog>
  )
}
