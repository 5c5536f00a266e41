import { computed } from '@preact/signals'
import { hasState } from '../data/api.ts'
import { route } from '../data/location.ts'
import { Connect } from './connect/connect.tsx'
import { Limits } from './limits/limits.tsx'
import { Pets } from './pets/pets.tsx'
import { ReportView } from './report/report.tsx'
import { Requests } from './requests/requests.tsx'

/** The views of the page. `key`: opens the view after `g`. `line`: the command that shows the same; `at`: also at a point. */
const VIEWS = [
  { name: 'requests', title: 'Requests', key: 'r', line: 'requests', at: false, Body: Requests },
  { name: 'pets', title: 'Pets', key: 'p', line: 'pets', at: true, Body: Pets },
  { name: 'limits', title: 'Limits', key: 'l', line: 'limits', at: true, Body: Limits },
  { name: 'report', title: 'Report', key: 'o', line: 'report', at: true, Body: ReportView },
  { name: 'connect', title: 'Connect', key: 'c', line: 'spec', at: false, Body: Connect },
] as const

/** A proxy has no pets and limits. */
export const views = computed(() =>
  hasState.value ? VIEWS : VIEWS.filter(({ name }) => name !== 'pets' && name !== 'limits'),
)

/** The view of the URL, or else the first one. */
export const shownView = computed(() => views.value.find(({ name }) => name === route.value.view) ?? VIEWS[0])
