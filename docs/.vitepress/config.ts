import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'

const path = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url))

const GUIDES = [
  { text: 'Reach every state of your UI', link: '/ui-states' },
  { text: 'Test retries and back-off', link: '/retries' },
  { text: 'Prepare for a deprecation', link: '/deprecations' },
  { text: 'Recordings and time travel', link: '/history' },
  { text: 'Fixtures', link: '/fixtures' },
  { text: 'Run a suite in CI', link: '/ci' },
  { text: 'Faults and limits', link: '/faults' },
  { text: 'The inspector', link: '/inspector' },
  { text: 'Check a real service', link: '/contract-and-proxy' },
  { text: 'Add fields and operations', link: '/overlays' },
  { text: 'Coming from another tool', link: '/other-tools' },
]

/** The site that `npm run docs` builds from this folder. */
export default defineConfig({
  title: 'petstore-sandbox',
  description: 'A local Animal Store API that behaves like the real service.',
  lang: 'en',
  cleanUrls: false,
  // The pages link to examples as the repository has them; the site has a page for each.
  markdown: {
    // Those of the theme have comments that are too pale.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (md) => {
      md.core.ruler.push('examples', ({ tokens }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.attrGet('href')
          if (href?.startsWith('../examples/')) token.attrSet('href', href.replace('../', './'))
        }
      })
    },
  },
  vite: {
    resolve: { alias: { 'petstore-sandbox/core': path('dist/core.js') } },
    worker: { format: 'es' },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Guides', link: '/ui-states' },
      { text: 'Reference', link: '/command-line' },
      { text: 'Examples', link: '/examples' },
    ],
    sidebar: [
      {
        text: 'Start',
        items: [
          { text: 'Getting started', link: '/start' },
          { text: 'Use it in tests', link: '/module' },
          { text: 'Integrations', link: '/integrations' },
          { text: 'Agents', link: '/agents' },
          { text: 'Examples', link: '/examples' },
        ],
      },
      { text: 'Guides', items: GUIDES },
      {
        text: 'Reference',
        items: [
          { text: 'The command line', link: '/command-line' },
          { text: 'Commands', link: '/reference/commands' },
          { text: 'Control API', link: '/reference/control-api' },
          { text: 'Module', link: '/reference/module-api' },
          { text: 'Decisions', link: '/decisions' },
          { text: 'Errors', link: '/errors' },
          { text: 'Stored state', link: '/state' },
        ],
      },
      {
        text: 'Operation',
        items: [
          { text: 'Containers', link: '/containers' },
          { text: 'Beyond one machine', link: '/beyond-one-machine' },
          { text: 'Performance', link: '/performance' },
          { text: 'Releasing', link: '/releasing' },
        ],
      },
    ],
  },
})
