import 'rapidoc'

/** The API reference of the effective document, in a document of its own: its component needs inline styles. */
const parameters = new URLSearchParams(location.hash.slice(1))
const namespace = parameters.get('namespace') ?? 'default'
const key = parameters.get('key') ?? 'psk_pro'
const isDark = matchMedia('(prefers-color-scheme: dark)').matches

const reference = document.createElement('rapi-doc')
const attributes = {
  'spec-url': `/openapi.json?namespace=${encodeURIComponent(namespace)}`,
  'server-url': `${location.origin}/v1`,
  'default-api-server': `${location.origin}/v1`,
  'api-key-name': 'Authorization',
  'api-key-location': 'header',
  'api-key-value': `Bearer ${key}`,
  'load-fonts': 'false',
  'allow-spec-url-load': 'false',
  'allow-spec-file-load': 'false',
  'allow-server-selection': 'false',
  'allow-authentication': 'false',
  'show-header': 'false',
  'render-style': 'view',
  theme: isDark ? 'dark' : 'light',
  'regular-font': 'system-ui, sans-serif',
  'mono-font': 'ui-monospace, monospace',
  'primary-color': isDark ? '#86c7a4' : '#2b6b47',
  'bg-color': isDark ? '#1d1d1b' : '#ffffff',
  'text-color': isDark ? '#efefeb' : '#1b1b19',
}
for (const [name, value] of Object.entries(attributes)) reference.setAttribute(name, value)
document.body.append(reference)
