import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'

const TSX = join(import.meta.dirname, '../../node_modules/tsx/dist/cli.mjs')
const COMPLETE = '{"name":"a","scripts":{"test":"b"}}'

function project() {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'build'))
  copyFileSync(join(import.meta.dirname, '../../build/manifest.ts'), join(folder, 'build/manifest.ts'))
  const manifest = join(folder, 'package.json')
  writeFileSync(manifest, COMPLETE)
  const file = join(folder, 'build/manifest.ts')
  const step = (name: string) => execFileSync(process.execPath, [TSX, file, name], { stdio: 'pipe' })
  const read = () => readFileSync(manifest, 'utf8')
  return { folder, manifest, file, step, read }
}

it('the complete package.json survives packs that were interrupted, and what was edited since', () => {
  const { folder, manifest, step, read } = project()
  step('strip')
  expect(JSON.parse(read())).toEqual({ name: 'a' })
  step('strip')
  step('restore')
  expect(read()).toBe(COMPLETE)
  step('restore')
  step('strip')
  const edited = COMPLETE.replace('"b"', '"c"')
  writeFileSync(manifest, edited)
  step('restore')
  expect(read()).toBe(edited)
  expect(readdirSync(folder).sort()).toEqual(['build', 'package.json'])
})

it('nothing is stripped for a folder that npm cannot write the package to', () => {
  const { file, read } = project()
  const env = { ...process.env, npm_config_pack_destination: '/nowhere/release' }
  const { status, stderr } = spawnSync(process.execPath, [TSX, file, 'strip'], { env, encoding: 'utf8' })
  expect(status).toBe(1)
  expect(stderr).toContain('--pack-destination: /nowhere/release is not a folder; create it first')
  expect(read()).toBe(COMPLETE)
})
