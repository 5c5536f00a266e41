import { instrumentsOpen } from '../../data/panels.ts'
import { ClockPanel } from './clock-panel.tsx'
import { FaultsPanel } from './faults-panel.tsx'
import { LimitsPanel } from './limits-panel.tsx'

/** Clock, limits and faults, beside every view. */
export const Instruments = () => (
  <aside class={`instruments${instrumentsOpen.value ? ' open' : ''}`} aria-label="Instruments">
    <ClockPanel />
    <LimitsPanel />
    <FaultsPanel />
  </aside>
)
