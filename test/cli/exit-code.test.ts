import { Command, CommanderError } from 'commander'
import { describe, expect, it } from 'vitest'
import { Exit, failureOf } from '../../src/cli/exit-code.ts'
import { ControlError, Unreachable } from '../../src/client/control-error.ts'
import { UsageError } from '../../src/config/usage-error.ts'
import { OverlayError } from '../../src/contract/openapi/document.ts'
import { FixtureError } from '../../src/fixtures/fixture-error.ts'
import { RecordingError } from '../../src/past/recording.ts'

const systemError = (code: string, errno: number, path?: string) =>
  Object.assign(new Error(`${code}: m`), { code, errno, ...(path && { path }) })
const control = (status: number) => new ControlError({ code: 'invalid_body', message: 'm', status })

it.each<[unknown, number, string]>([
  [new Exit(3), 3, 'failed'],
  [new UsageError('m'), 2, 'wrong_usage'],
  [new FixtureError([]), 2, 'invalid_fixture'],
  [new RecordingError('m'), 2, 'invalid_recording'],
  [new OverlayError('m'), 2, 'invalid_overlay'],
  [systemError('EROFS', -30, '/x/.petstore-sandbox'), 2, 'wrong_usage'],
  [systemError('EPIPE', -32), 1, 'failed'],
  [control(400), 2, 'invalid_body'],
  [control(404), 1, 'invalid_body'],
  [control(503), 1, 'invalid_body'],
  [new Unreachable('m'), 1, 'unreachable'],
  [new CommanderError(1, 'commander.unknownOption', 'm'), 2, 'wrong_usage'],
  [new CommanderError(0, 'commander.helpDisplayed', 'm'), 0, 'failed'],
  [new TypeError('m'), 1, 'failed'],
  ['a text', 1, 'failed'],
  [undefined, 1, 'failed'],
])('%o ends a command with %i as %s', (error, exitCode, code) => {
  expect(failureOf(error, 'start')).toMatchObject({ exitCode, code })
})

const messageOf = (error: unknown, command: string) => failureOf(error, command).message

describe('the message of an error', () => {
  it('of commander is one sentence with a reference to the help', () => {
    const error = new CommanderError(1, 'x', "error: unknown option '--prot'")
    expect(messageOf(error, 'start')).toBe("unknown option '--prot'. See petstore-sandbox start --help")
  })

  it.each([
    ['--prot=4011', "unknown option '--prot=4011'. Did you mean --port? See petstore-sandbox start --help"],
    [
      '--memory=false',
      "unknown option '--memory=false'. Did you mean --memory? See petstore-sandbox start --help",
    ],
  ])('of %s names the option that is meant', (word, expected) => {
    const command = new Command('start').option('--port <number>').option('--memory').exitOverride()
    const error = new CommanderError(1, 'commander.unknownOption', `error: unknown option '${word}'`)
    command.args = [word]
    expect(messageOf(Object.assign(error, { command }), 'start')).toBe(expected)
  })

  it('is empty if it was already printed, or if there is no error', () => {
    expect(messageOf(new Exit(3), 'exec')).toBeUndefined()
    expect(messageOf(new CommanderError(0, 'commander.version', '1.0.0'), '')).toBeUndefined()
  })

  it('about the control token names the option and the variable', () => {
    const error = new ControlError({ code: 'invalid_control_token', message: 'Send the token.', status: 401 })
    const fix = 'Pass it with --control-token, or set PETSTORE_SANDBOX_CONTROL_TOKEN'
    expect(messageOf(error, 'clock')).toBe(`Send the token. ${fix}`)
    expect(failureOf(error, 'clock').fix).toBe(fix)
  })

  it('of the operating system has a sentence, and what to do', () => {
    expect(messageOf(systemError('EROFS', -30, '/x/.petstore-sandbox'), 'start')).toBe(
      '/x/.petstore-sandbox cannot be used: read-only file system (EROFS). Use another file or folder',
    )
    expect(messageOf(systemError('EMFILE', -24, '/x/cli.js'), 'start')).toBe(
      '/x/cli.js cannot be used: too many open files (EMFILE). Raise the limit of open files (ulimit -n)',
    )
    expect(messageOf(systemError('EPIPE', -32), 'start')).toBe('EPIPE: m')
  })

  it('of anything else is its message', () => {
    expect([messageOf(new Error('m'), ''), messageOf('text', ''), messageOf(undefined, '')]).toEqual([
      'm',
      'text',
      'undefined',
    ])
  })
})

it.each([
  [new UsageError('"5x" is not a valid duration', 'use 500ms or 61s'), 'use 500ms or 61s'],
  [new UsageError('Port 4010 is in use', 'Use another port: --port 0'), 'Use another port: --port 0'],
  [new Unreachable('No sandbox answers. It may be gone'), 'See petstore-sandbox start --help'],
  [new FixtureError([]), 'Correct the fixture; petstore-sandbox validate <fixture> names every problem'],
  ['a text; with advice', 'See petstore-sandbox start --help'],
])('the fix of %s is a member, and is not parsed from the message', (error, fix) => {
  expect(failureOf(error, 'start')).toMatchObject({ fix, status: null })
})

it('an error of the control API keeps its status', () => {
  expect(failureOf(control(404), 'start').status).toBe(404)
})
