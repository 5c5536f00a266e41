import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { variableOf } from '../../src/config/table.ts'
import { settingsOf, WORKER_OPTIONS } from '../../src/edge/settings.ts'

it.each(['config.capnp', 'compose.yaml'])('%s passes every variable that a Worker knows', (file) => {
  const text = readFileSync(new URL(`../../deploy/cluster/${file}`, import.meta.url), 'utf8')
  const known = [...WORKER_OPTIONS.map(variableOf), 'PETSTORE_SANDBOX_PUBLIC']
  expect([...new Set(text.match(/PETSTORE_SANDBOX_\w+/g))].toSorted()).toEqual(known.toSorted())
})

it('both pass the same variables of OpenTelemetry, and every one that the page of docs names', () => {
  const namesIn = (path: string) =>
    new Set(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8').match(/OTEL_\w+/g))
  const [passed, composed] = ['config.capnp', 'compose.yaml'].map((file) => namesIn(`deploy/cluster/${file}`))
  expect([...(composed ?? [])].toSorted()).toEqual([...(passed ?? [])].toSorted())
  const documented = [...namesIn('docs/beyond-one-machine.md')]
  expect(documented.filter((name) => !passed?.has(name))).toEqual([])
})

it('names the variables that a Worker does not have, and those that it has', () => {
  const given = { PETSTORE_SANDBOX_PORT: '4010', PETSTORE_SANDBOX_ACCEPT_DATA_FILE: 'true' }
  const read = () => settingsOf(given)
  expect(read).toThrow('of its own: PETSTORE_SANDBOX_PORT, PETSTORE_SANDBOX_ACCEPT_DATA_FILE')
  for (const name of WORKER_OPTIONS) expect(read).toThrow(variableOf(name))
})
