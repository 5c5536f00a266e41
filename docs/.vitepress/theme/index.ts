import { withBase } from 'vitepress'
// The theme without its fonts: the page uses those of the system.
import DefaultTheme from 'vitepress/theme-without-fonts'
import { h } from 'vue'
import TryIt from './TryIt.vue'
import './style.css'

const notFound = () =>
  h('main', { class: 'vp-doc not-found' }, [
    h('h1', 'There is no such page'),
    h('p', [h('a', { href: withBase('/') }, 'Go to the first page')]),
  ])

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'not-found': notFound }),
  enhanceApp: ({ app }: { app: { component(name: string, component: unknown): unknown } }) => {
    app.component('TryIt', TryIt)
  },
}
