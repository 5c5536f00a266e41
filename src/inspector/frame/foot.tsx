import { attempt, copied, copy, Refused, refusal, shownCommand } from '../parts/act.tsx'

/** The command line that equals what has the focus or is under the pointer. */
export function Foot() {
  const text = shownCommand.value
  return (
    <footer class="foot">
      <span aria-hidden="true">$</span>
      <output class="command" aria-label="The command that equals what has the focus">
        {text === '' ? <span class="quiet">hover a button to see its command</span> : text}
      </output>
      {refusal.value?.place === 'page' && <Refused place="page" />}
      <span class="push" />
      <button
        type="button"
        class="link"
        disabled={text === ''}
        onClick={() => void attempt('page', () => copy(text))}
      >
        {copied.value === text && text !== '' ? 'copied' : 'copies with'} <kbd>y</kbd>
      </button>
    </footer>
  )
}
