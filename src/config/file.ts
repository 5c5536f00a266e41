import { existsSync, readFileSync } from 'node:fs'
import { dirname, extname, join, resolve } from 'node:path'
import { ParseError } from '../fixtures/parsed-text.ts'
import { fileReason } from '../text/file-reason.ts'
import type { StartOptions } from './settings.ts'
import { OPTION_NAMES, OPTIONS, readOptions, refuseUnknown } from './table.ts'
import { together, UsageError } from './usage-error.ts'

const NAMES = ['petstore-sandbox.config.json', 'petstore-sandbox.config.yaml']

/** The configuration file in a folder, or in the nearest one above it. */
export function findConfig(folder: string): string | undefined {
  const [found, another] = NAMES.map((name) => join(folder, name)).filter((file) => existsSync(file))
  if (found && another)
    throw new UsageError(`${found} and ${another} both exist`, 'Remove one, or select one with --config')
  const parent = dirname(folder)
  return found ?? (parent === folder ? undefined : findConfig(parent))
}

/** Reads a configuration file. Its paths are relative to it. Throws a UsageError. */
export async function readConfig(file: string): Promise<StartOptions> {
  const members = await parseConfig(file, readConfigText(file))
  const names = OPTION_NAMES.filter((name) => OPTIONS[name].schema !== null)
  if (typeof members !== 'object' || members === null || Array.isArray(members)) {
    throw new UsageError(`${file}: the configuration is not an object`, `Options: ${names.join(', ')}`)
  }
  const { $schema: _, ...values } = members as Record<string, unknown>
  const [options = {}] = together([
    () => readOptions(values, (name) => `${file}, ${name}`),
    () => {
      refuseUnknown(values, names, file)
      return {}
    },
  ])
  return placed(options, dirname(file))
}

/** Options that are dangerous in another user's file further up: access from other machines, loss of pets. */
const ONLY_NAMED = ['host', 'controlToken', 'fresh'] as const satisfies (keyof StartOptions)[]

/** Throws a UsageError for options that a file in a folder above must not have. */
export function refuseFromAbove(options: StartOptions, file: string): void {
  const found = ONLY_NAMED.filter((name) => options[name] !== undefined)
  if (found.length === 0) return
  throw new UsageError(
    `${file}: ${found.join(', ')} cannot be set in a configuration file of a parent folder`,
    `Start in its folder, or select it: --config ${file}`,
  )
}

function readConfigText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`${file}: ${fileReason(error)}`, 'Correct --config or PETSTORE_SANDBOX_CONFIG')
  }
}

/** The parsers are loaded here, because most starts have no configuration file. */
async function parseConfig(file: string, content: string): Promise<unknown> {
  const text = content.replace(/^\uFEFF/, '')
  if (text.includes('\0'))
    throw new UsageError(`${file}: the file contains a NUL character`, 'Save it as UTF-8 text')
  const isYaml = ['.yaml', '.yml'].includes(extname(file))
  try {
    if (!isYaml) return (await (await import('../fixtures/json.ts')).readJson(text)).value
    return (await (await import('../fixtures/yaml.ts')).readYaml(text)).value ?? {}
  } catch (error) {
    const [fault] = error instanceof ParseError ? error.faults : []
    throw fault ? new UsageError(`${file}:${fault.line}: ${fault.reason}`) : error
  }
}

function placed(options: StartOptions, folder: string): StartOptions {
  const entries = Object.entries(options).map(([name, value]) => {
    const { kind } = OPTIONS[name as keyof StartOptions]
    const isPath = kind === 'path' || (kind === 'fixture' && isFile(value))
    if (!isPath) return [name, value]
    const paths = [value].flat().map((path) => resolve(folder, path))
    return [name, Array.isArray(value) ? paths : paths[0]]
  })
  return Object.fromEntries(entries)
}

/** Whether a fixture is a file: it has a slash or a dot. Built-in names have none. */
export const isFile = (fixture: string): boolean => /[./\\]/.test(fixture)
