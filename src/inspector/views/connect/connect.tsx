import { signal } from '@preact/signals'
import { BASE, ORIGIN } from '../../data/api.ts'
import { decisions } from '../../data/decisions.ts'
import { namespace, world } from '../../data/location.ts'
import { keys } from '../../data/world-state.ts'
import { Copy } from '../../parts/act.tsx'
import { Scroll } from '../../parts/scroll.tsx'
import { brief } from '../../text/text.ts'
import { snippets } from './snippets.ts'

const referenceOpen = signal(false)
const chosen = signal('psk_pro')

/** Address, key, snippets and reference: everything an app needs to talk to this world. */
export function Connect() {
  const suffix = world.value === 'default' ? '' : `.${world.value}`
  const base = `${ORIGIN}/v1`
  const usable = keys.value.filter(({ revoked }) => !revoked).map(({ key }) => key)
  const bare = usable.includes(chosen.value) ? chosen.value : (usable[0] ?? 'psk_pro')
  const key = bare.includes('.') ? bare : `${bare}${suffix}`
  return (
    <div class="sheet">
      <section>
        <h2>Base URL and key</h2>
        <dl class="pairs">
          <dt>base URL</dt>
          <dd>
            <code>{base}</code> <Copy text={base}>Copy</Copy>
          </dd>
          <dt>key</dt>
          <dd>
            <select
              aria-label="Key"
              value={bare}
              onChange={({ currentTarget }) => {
                chosen.value = currentTarget.value
              }}
            >
              {usable.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>{' '}
            <code>{key}</code> <Copy text={key}>Copy</Copy>
          </dd>
          <dt>documents</dt>
          <dd>
            <a href="/openapi.json">/openapi.json</a> <a href="/openapi.yaml">/openapi.yaml</a>{' '}
            <a href={`${BASE}/openapi.json`}>control API</a>
          </dd>
        </dl>
      </section>
      <section>
        <h2>Snippets</h2>
        {snippets(base, key).map(([name, text]) => (
          <div key={name} class="snippet">
            <div class="acts">
              <span class="quiet">{name}</span>
              <Copy text={text}>Copy</Copy>
            </div>
            <pre>{text}</pre>
          </div>
        ))}
      </section>
      <Reference apiKey={key} />
      <Decisions />
    </div>
  )
}

/** A document of its own, which loads what it needs when it is opened. */
function Reference({ apiKey }: { apiKey: string }) {
  const query = new URLSearchParams({
    namespace: namespace.value === '*' ? 'default' : namespace.value,
    key: apiKey,
  })
  return (
    <section>
      <h2>API reference</h2>
      {referenceOpen.value ? (
        // A document of its own reads what it is given when it begins.
        <iframe key={`${query}`} class="reference" title="API reference" src={`${BASE}/reference#${query}`} />
      ) : (
        <button
          type="button"
          class="act"
          onClick={() => {
            referenceOpen.value = true
          }}
        >
          Open the reference, with a try-it that sends {apiKey}
        </button>
      )}
    </section>
  )
}

const Decisions = () => (
  <section>
    <h2>Effective decisions about what the interface leaves open</h2>
    <Scroll label="Decisions">
      <table>
        <thead>
          <tr>
            <th scope="col">Decision</th>
            <th scope="col">Value</th>
            <th scope="col">Question</th>
            <th scope="col">Choices</th>
          </tr>
        </thead>
        <tbody>
          {decisions.value.map(({ name, value, question, choices, default: usual }) => (
            <tr key={name}>
              <th scope="row" class="data">
                {name}
              </th>
              <td class={JSON.stringify(value) === JSON.stringify(usual) ? '' : 'warn'}>
                {brief(typeof value === 'string' ? value : JSON.stringify(value), 120)}
              </td>
              <td class="words">{question}</td>
              <td class="quiet">{choices}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  </section>
)
