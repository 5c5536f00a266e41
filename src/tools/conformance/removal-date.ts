import { HOUR } from '../../time/instant.ts'
import type { ServiceResponse } from './service-response.ts'

/** The day on which getPet is removed (interface, sections 4.3 and 9). */
export const REMOVAL = '5 December 2030'

const DAY_OF_REMOVAL = Date.UTC(2030, 11, 5)

/** Whether the service answered on or after the day of removal, by its own clock. */
export const isAfterRemoval = ({ at }: ServiceResponse): boolean => at >= DAY_OF_REMOVAL

/** The end of that day in every time zone; the interface names none. */
export const END_OF_REMOVAL = DAY_OF_REMOVAL + 36 * HOUR

/** Whether an instant lies within that day in some time zone. */
export const isOnDayOfRemoval = (instant: number): boolean =>
  instant >= DAY_OF_REMOVAL - 14 * HOUR && instant <= END_OF_REMOVAL
