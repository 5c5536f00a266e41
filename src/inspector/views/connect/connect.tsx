import { useSignal } from '@preact/signals'
import { keyIn, SERVICE_KEY } from '../../data/address.ts'
import { API_URL, BASE, hasNamespaces, hasState, ROOT, token } from '../../data/api.ts'
import { command, world } from '../../data/location.ts'
import { decisions, keys, pointError, UNREAD } from '../../data/state.ts'
import type { Decision } from '../../data/types.ts'
import { Copy, Snippet, Tabs } from '../../parts/buttons.tsx'
import { styled, Table } from '../../parts/table.tsx'
import { brief } from '../../text/text.ts'
import { Reference } from './reference.tsx'
import { snippets } from './snippets.ts'
import './connect.css'

/** The address, the key, snippets and the reference: everything that an app needs to use this namespace. */
export function Connect() {
  const chosen = useSignal('')
  if (keys.value === UNREAD && hasState.value && !pointError.value)
    return <p class="none">Reading the keys.</p>
  const usable = keys.value.filter(({ revoked }) => !revoked).map(({ key }) => key)
  const usual = usable.includes('psk_pro') ? 'psk_pro' : (usable[0] ?? SERVICE_KEY)
  const bare = usable.includes(chosen.value) ? chosen.value : usual
  const key = keyIn(world.value, bare)
  return (
    <div class="sheet">
      <div class="beside">
        <section aria-label="Base URL and key">
          <h2>Base URL and key</h2>
          <Snippet name="base URL" text={API_URL} class="small" />
          <Snippet name="key" text={key} class="small" />
          <p class="actions">
            {usable.length > 0 && (
              <select
                aria-label="Key"
                value={bare}
                onChange={({ currentTarget }) => (chosen.value = currentTarget.value)}
              >
                {usable.map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            )}
            <a href={`${ROOT}/openapi.json`}>/openapi.json</a>
            <a href={`${ROOT}/openapi.yaml`}>/openapi.yaml</a>
            {/* The address alone does not carry the token. */}
            {token.value === '' && <a href={`${BASE}/openapi.json`}>control API</a>}
          </p>
        </section>
        <Snippets apiKey={key} />
      </div>
      <Reference apiKey={key} />
      {decisions.value.length > 0 && <Decisions />}
    </div>
  )
}

function Snippets({ apiKey }: { apiKey: string }) {
  const shown = useSignal(0)
  const { Playwright, ...usual } = snippets(API_URL, apiKey)
  // Each of its tests has a namespace of its own.
  const all = Object.entries(hasNamespaces.value ? { ...usual, Playwright } : usual)
  const [, text] = all[shown.value] ?? (all[0] as (typeof all)[0])
  return (
    <section aria-label="Snippets">
      <Tabs
        tabs={all.map(([title, command], name) => ({ name, title, command }))}
        shown={shown.value}
        show={(index) => (shown.value = index)}
      >
        <Copy text={text} class="text small" />
      </Tabs>
      <pre tabIndex={0}>{text}</pre>
    </section>
  )
}

const isUsual = ({ value, default: usual }: Decision): boolean => value === usual

/** The decisions: those that differ from the defaults, the others folded. */
function Decisions() {
  const usual = decisions.value.filter(isUsual)
  const other = decisions.value.filter((each) => !isUsual(each))
  return (
    <section aria-label="Decisions" data-command={command('decisions')}>
      <h2>Decisions about what the interface leaves open</h2>
      {other.length === 0 ? <p class="quiet">None differs from its default.</p> : <Rows rows={other} />}
      <details>
        <summary class="quiet">{usual.length} with their default</summary>
        <Rows rows={usual} />
      </details>
    </section>
  )
}

const Rows = ({ rows }: { rows: readonly Decision[] }) => (
  <Table
    class="lines"
    columns={[styled('data', 'Decision'), styled('data', 'Value'), styled('wraps', 'Question')]}
    rows={rows}
    keyOf={({ name }) => name}
    cells={(each) => [
      each.name,
      <span class={isUsual(each) ? '' : 'warn'}>{brief(each.value, 120)}</span>,
      each.question,
    ]}
  />
)
