import { RECORDING_VERSION } from '../../src/past/recording.ts'

/** The first line of a recording without pets. */
export const HEAD = {
  recording: RECORDING_VERSION,
  version: '9.9.9',
  startedAt: '2026-11-19T12:34:56.000Z',
  origin: 'http://localhost:4010',
  options: {},
  contract: '',
  start: { fixture: { pets: [], nextId: 1, keys: [] }, namespaces: {} },
}
