import { ORIGIN } from '../../data/api.ts'
import { world } from '../../data/location.ts'
import { Copy } from '../../parts/act.tsx'
import { quote } from '../../text/commands.ts'

/** Shown while there are no requests: address, key, and a first request to paste. */
export function Empty() {
  const key = world.value === 'default' ? 'psk_pro' : `psk_pro.${world.value}`
  const base = `${ORIGIN}/v1`
  const curl = `curl ${quote(`${base}/pets`)} -H ${quote(`Authorization: Bearer ${key}`)}`
  return (
    <section class="empty" aria-label="Start">
      <h2>No request yet</h2>
      <p>Point your app at the base URL, or paste the line below into a terminal. It appears here at once.</p>
      <dl class="pairs">
        <dt>base URL</dt>
        <dd>
          <code>{base}</code> <Copy text={base}>Copy</Copy>
        </dd>
        <dt>key</dt>
        <dd>
          <code>{key}</code> <Copy text={key}>Copy</Copy>
        </dd>
        <dt>first request</dt>
        <dd>
          <code>{curl}</code> <Copy text={curl}>Copy</Copy>
        </dd>
      </dl>
    </section>
  )
}
