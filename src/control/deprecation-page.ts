import { iso } from '../time/instant.ts'
import { isRemoved, type Policy } from '../world/policy.ts'

/** The page that `Deprecation` and `Sunset` link to (RFC 9745, section 3; RFC 8594, section 6). It loads no other file. */
export function deprecationPage(policy: Policy, now: number): string {
  const { deprecatedSince, removedOn } = policy.get
  const removed = isRemoved(policy, now)
  const isAhead = now < removedOn
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Deprecations – Animal Store</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Deprecations</h1>
<p>Deprecated operations of the Animal Store, and their replacements.</p>
<article id="getPet">
<header><h2><code>GET /v1/pets/{petId}</code></h2><span class="${removed ? 'gone' : 'soon'}">${removed ? 'removed' : 'deprecated'}</span></header>
<dl>
<dt>Operation</dt><dd><code>getPet</code></dd>
<dt>Deprecated since</dt><dd>${time(deprecatedSince)}</dd>
<dt>${isAhead ? 'Will be removed on' : 'Removal'}</dt><dd>${time(removedOn)}</dd>
<dt>Use instead</dt><dd><code>GET /v1/pets</code> with the <code>status</code> filter</dd>
</dl>
<p>${OUTCOME[policy.get.afterRemoval]}</p>
<h3>Before</h3>
<pre>GET /v1/pets/1</pre>
<h3>After</h3>
<pre>GET /v1/pets?status=available&amp;limit=100</pre>
<p>Look the animal up in that list by its <code>id</code>. Every answer of the operation says all this in its
headers <code>Deprecation</code>, <code>Sunset</code> and <code>Link</code>.</p>
</article>
</main>
</body>
</html>
`
}

const OUTCOME: Readonly<Record<Policy['get']['afterRemoval'], string>> = {
  410: 'From then on it answers <code>410 Gone</code> with the code <code>endpoint_removed</code>.',
  404: 'From then on it answers <code>404 Not Found</code> with the code <code>route_not_found</code>.',
  serve: 'This sandbox continues to serve it after that day.',
}

function time(instant: number): string {
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(instant)
  const written = iso(instant)
  return `<time datetime="${written}">${day}, ${written.slice(11, 16)} UTC</time>`
}

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d9dce1, #3a3f47); --quiet: light-dark(#5b6470, #a3acb8);
  --sheet: light-dark(#fff, #1d2026); --code: light-dark(#f1f3f6, #2a2e36) }
* { box-sizing: border-box }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; background: light-dark(#f6f7f9, #14161a);
  color: light-dark(#1b1f24, #e7eaee) }
main { max-width: 46rem; margin: 0 auto; padding: 3rem 1.25rem }
h1 { margin: 0; font-size: 1.9rem; letter-spacing: -.02em }
main > p { margin: .4rem 0 2rem; color: var(--quiet) }
article { padding: 1.5rem; background: var(--sheet); border: 1px solid var(--line); border-radius: .75rem }
header { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; justify-content: space-between }
h2 { margin: 0; font-size: 1.15rem } h2 code { padding: 0; background: none }
h3 { margin: 1.5rem 0 .4rem; font-size: .8rem; color: var(--quiet); font-weight: 600 }
span { padding: .1rem .65rem; border-radius: 1rem; font-size: .85rem; font-weight: 600 }
.soon { background: light-dark(#fdf0d5, #4a3712); color: light-dark(#7a4d00, #ffd58a) }
.gone { background: light-dark(#fde3e3, #4f1f22); color: light-dark(#8f1d22, #ffb3b5) }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .45rem 1.5rem; margin: 1.25rem 0 }
dt { color: var(--quiet) } dd { margin: 0 }
code, pre { font: .92em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
code { padding: .1em .35em; background: var(--code); border-radius: .3em }
pre { margin: 0; padding: .7rem .9rem; overflow-x: auto; background: var(--code); border-radius: .5rem }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; gap: 0 } dd { margin-bottom: .6rem } }
`
