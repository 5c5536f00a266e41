import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { hasPart } from '../parts.ts'
import { temporaryFolder } from '../support/folder.ts'
import { runCli } from './run-cli.ts'

const folder = temporaryFolder()

beforeAll(async () => {
  writeFileSync(join(folder, 'my pets.csv'), '')
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, out } = await runCli(['completion', shell])
    expect(code).toBe(0)
    writeFileSync(join(folder, `script.${shell}`), out)
  }
})

/** Returns the completions that a shell offers at the end of a command line. */
type Complete = (line: string) => string[]

const has = (shell: string): boolean =>
  hasPart(spawnSync(shell, ['-c', 'true']).status === 0, shell, 'the tests of its completion')

function output(shell: string, args: string[]): string[] {
  // A locale that is not installed is a warning of the shell.
  const env = { ...process.env, LC_ALL: 'C' }
  const { stdout, stderr } = spawnSync(shell, args, { cwd: folder, env, encoding: 'utf8' })
  expect(stderr).toBe('')
  return stdout.split('\n').filter(Boolean)
}

/** Splits the line as readline does, for which "=" is a word. */
const bash: Complete = (line) => {
  const words = line.split(/( +|=)/).filter((word) => word.trim() !== '')
  if (line.endsWith(' ')) words.push('')
  const quoted = words.map((word) => `'${word}'`).join(' ')
  const script = `source ./script.bash; complete -p petstore-sandbox >/dev/null || exit
COMP_WORDS=(${quoted}) COMP_CWORD=${words.length - 1}; _petstore_sandbox; printf '%s\\n' "\${COMPREPLY[@]}"`
  return output('bash', ['--norc', '-c', script])
}

/** Returns what the completion function passes to zsh. */
const zsh: Complete = (line) => {
  const words = line.split(/ +/).map((word) => `'${word}'`)
  const script = `compdef() { : }
_describe() { print -l -- \${found%%:*} }
compadd() { print -l -- $found }
compset() { : }
_files() { print -l -- *pets* }
source ./script.zsh
words=(${words.join(' ')}) CURRENT=${words.length}
_petstore-sandbox`
  return output('zsh', ['-f', '-c', script])
}

const fish: Complete = (line) => {
  const script = `source ./script.fish; complete -C '${line}'`
  return output('fish', ['--no-config', '-c', script]).map((word) => word.replace(/\t.*/, ''))
}

const [hasBash, hasFish] = [has('bash'), has('fish')]
const SHELLS: [string, boolean, Complete][] = [
  ['bash', hasBash, bash],
  ['zsh', has('zsh'), zsh],
  ['fish', hasFish, fish],
]

for (const [shell, isInstalled, complete] of SHELLS) {
  describe.skipIf(!isInstalled)(`${shell} completes`, () => {
    it('commands and their parts', () => {
      expect(complete('petstore-sandbox ')).toEqual(expect.arrayContaining(['start', 'keys', 'completion']))
      expect(complete('petstore-sandbox keys ')).toEqual(expect.arrayContaining(['list', 'create', 'revoke']))
      expect(complete('petstore-sandbox keys ')).not.toContain('start')
      expect(complete('petstore-sandbox completion ')).toEqual(
        expect.arrayContaining(['bash', 'zsh', 'fish']),
      )
      expect(complete('petstore-sandbox keys create ')).toEqual(
        expect.arrayContaining(['free', 'pro', 'business', 'enterprise']),
      )
    })

    it('options, also those of the default command', () => {
      expect(complete('petstore-sandbox --po')).toContain('--port')
      expect(complete('petstore-sandbox start --po')).toContain('--port')
      expect(complete('petstore-sandbox faults add --w')).toEqual(
        expect.arrayContaining(['--wire', '--when']),
      )
      expect(complete('petstore-sandbox --url http://localhost:1 keys revoke --name')).toContain(
        '--namespace',
      )
    })

    it('values', () => {
      expect(complete('petstore-sandbox --log ')).toEqual(
        expect.arrayContaining(['pretty', 'json', 'silent']),
      )
      expect(complete('petstore-sandbox --log ')).not.toContain('start')
      expect(complete('petstore-sandbox --set list.')).toContain('list.limit=')
      expect(complete('petstore-sandbox exec --fail-on ')).toContain('early-retry')
      expect(complete('petstore-sandbox contract --report ')).toContain('markdown=')
      expect(complete('petstore-sandbox pets --status ')).toContain('sold')
      expect(complete('petstore-sandbox --port ')).toEqual([])
    })

    it('files, if a file is expected', () => {
      const offered = (line: string) =>
        complete(line).some((word) => word.replaceAll('\\', '') === 'my pets.csv')
      expect(offered('petstore-sandbox --db ')).toBe(true)
      expect(offered('petstore-sandbox seed ')).toBe(true)
      expect(offered('petstore-sandbox replay ')).toBe(true)
      expect(offered('petstore-sandbox diff default ')).toBe(true)
      expect(offered('petstore-sandbox exec -- ')).toBe(true)
      expect(complete('petstore-sandbox exec --plan pro -- node --p')).not.toContain('--plan')
      expect(offered('petstore-sandbox --log ')).toBe(false)
      expect(complete('petstore-sandbox seed ')).toEqual(expect.arrayContaining(['sold-out', 'edge-cases']))
    })
  })
}

describe.skipIf(!hasBash)('bash', () => {
  it('completes after =', () => {
    expect(bash('petstore-sandbox --log=')).toEqual(['pretty', 'json', 'silent'])
    expect(bash('petstore-sandbox --log=js')).toEqual(['json'])
    expect(bash('petstore-sandbox --set list.limit=')).toEqual([])
    expect(bash('petstore-sandbox exec --report junit=r')).toEqual([])
  })
})

describe.skipIf(!hasFish)('fish', () => {
  it('completes after =', () => {
    expect(fish('petstore-sandbox --log=')).toEqual(['--log=json', '--log=pretty', '--log=silent'])
    expect(fish('petstore-sandbox --log=js')).toEqual(['--log=json'])
  })
})
