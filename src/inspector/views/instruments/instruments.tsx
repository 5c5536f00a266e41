import { instrumentsOpen } from '../../data/panels.ts'
import { ClockPanel } from './clock-panel.tsx'
import { FaultsPanel } from './faults-panel.tsx'
import { LimitsPanel } from './limits-panel.tsx'

/** What can be turned: always at hand. */
export const Instruments = () => (
  <aside class={`instruments${instrumentsOpen.value ? ' open' : ''}`} aria-label="Instruments">
    <ClockPanel />
    <LimitsPanel />
    <FaultsPanel />
  </aside>
)
