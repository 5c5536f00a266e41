import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { hasNginx, startNginx } from '../support/nginx.ts'
import { freePort } from '../support/port.ts'
import { type Program, run, start, stopAll } from '../support/program.ts'

const recipe = readFileSync(new URL('../../docs/beyond-one-machine.md', import.meta.url), 'utf8')
const [, configuration = ''] = /```nginx\n([\s\S]*?)```/.exec(recipe) ?? []

/** The nginx configuration of the recipe with other ports. */
const recipeFor = (port: number, programs: readonly Program[]): string => {
  const ports = [port, ...programs.map((program) => new URL(program.origin).port)]
  return configuration.replace(/127\.0\.0\.1:401(\d)/g, (_, i: string) => `127.0.0.1:${ports[Number(i)]}`)
}

const TOKEN = 'a-token.with-a-dot'
/** So many that each process has some of them. */
const namespaces = (of: string): string[] => Array.from({ length: 30 }, (_, i) => `${of}-${i + 1}`)
const PETS = 100

describe.skipIf(!hasNginx)('three processes behind nginx, as in docs/beyond-one-machine.md', () => {
  const folder = temporaryFolder()
  let nginx: AsyncDisposable
  let origin: string
  let programs: Program[]
  const token = ['--control-token', TOKEN]
  // Frozen, so that no window ends on a slow machine.
  const flags = ['--host', '127.0.0.1', '--fixture', 'empty', '--freeze', ...token]
  const everywhere = () => [...programs.flatMap((program) => ['--url', program.origin]), ...token]

  beforeAll(async () => {
    programs = await Promise.all(
      [1, 2, 3].map(async (i) => {
        const own = ['--port', String(await freePort()), '--db', join(folder, `${i}.json`)]
        return start([...flags, ...own], { cwd: folder })
      }),
    )
    const port = await freePort()
    origin = `http://127.0.0.1:${port}`
    nginx = await startNginx(folder, recipeFor(port, programs), `${origin}/openapi.json`)
  })
  afterAll(async () => {
    await nginx?.[Symbol.asyncDispose]()
    await stopAll()
  })

  const api = (path: string, key: string, init: RequestInit = {}) =>
    fetch(`${origin}/v1${path}`, { ...init, headers: { authorization: `Bearer ${key}` } })
  const create = (key: string, name: string) =>
    fetch(`${origin}/v1/pets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name, categoryId: 1 }),
    })
  /** Sends 64 requests at once; returns how many were answered, and how many refused. */
  const listOften = async (name: string) => {
    const requests = Array.from({ length: 64 }, () => api('/pets?limit=1', `psk_free.${name}`))
    const responses = await Promise.all(requests)
    await Promise.all(responses.map((response) => response.arrayBuffer()))
    return [200, 429].map((wanted) => responses.filter(({ status }) => status === wanted).length)
  }
  const remote = (...args: string[]) => run([...args, '--url', origin, ...token], { cwd: folder })

  it('every namespace gets each of its pets once, and is in one process', async () => {
    const names = namespaces('worker')
    const ids = new Map(names.map((name) => [name, new Set<number>()]))
    for (let i = 0; i < PETS; i += 4) {
      await Promise.all(
        names.flatMap((name) =>
          [0, 1, 2, 3].map(async (k) => {
            const response = await create(`psk_enterprise.${name}`, `${name} ${i + k}`)
            ids.get(name)?.add(((await response.json()) as { id: number }).id)
          }),
        ),
      )
    }
    const expected = Array.from({ length: PETS }, (_, i) => i + 1)
    for (const each of ids.values()) expect([...each].toSorted((a, b) => a - b)).toEqual(expected)

    const { out, err } = await run(['namespaces', '--json', ...everywhere()])
    expect(err).toBe('')
    const rows = (JSON.parse(out) as { name: string; pets: number; url: string }[]).filter(({ name }) =>
      name.startsWith('worker-'),
    )
    expect(rows.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
    expect(new Set(rows.map(({ pets }) => pets))).toEqual(new Set([PETS]))
    expect(new Set(rows.map(({ url }) => url)).size).toBe(3)
  })

  it('limits are exact, also for parallel requests', async () => {
    for (const name of namespaces('limited').slice(0, 6)) expect(await listOften(name)).toEqual([60, 4])
  })

  it('a control call acts on its namespace, and the reports are added', async () => {
    const names = namespaces('counted')
    for (const name of names.slice(0, 2)) await listOften(name)
    for (const name of names) await create(`psk_pro.${name}`, 'Kit')
    expect((await fetch(`${origin}/_sandbox/clock?namespace=counted-1`)).status).toBe(401)
    const { out } = await remote('report', '--json', '--namespace', 'counted-1')
    expect(JSON.parse(out)).toMatchObject({ requests: 65, rateLimited: 4 })

    await remote('clock', 'advance', '61s', '--namespace', 'counted-1')
    expect((await api('/pets?limit=1', 'psk_free.counted-1')).status).toBe(200)
    expect((await api('/pets?limit=1', 'psk_free.counted-2')).status).toBe(429)

    const reportOf = async (...urls: string[]) => {
      const { out } = await run(['report', '--json', '--namespace', '*', ...urls, ...token])
      const { requests, rateLimited, coverage } = JSON.parse(out)
      return [requests, rateLimited, coverage.createPet[201]] as number[]
    }
    const each = await Promise.all(programs.map((program) => reportOf('--url', program.origin)))
    const all = await reportOf(...programs.flatMap((program) => ['--url', program.origin]))
    expect(all).toEqual([0, 1, 2].map((i) => each.reduce((sum, numbers) => sum + (numbers[i] ?? 0), 0)))
    expect(all[2]).toBeGreaterThanOrEqual(names.length)
  })

  it('an issued key is valid in its namespace; a namespace is dropped in its process', async () => {
    const { out } = await remote('keys', 'create', 'pro', '--json', '--namespace', 'issued')
    const { key } = JSON.parse(out) as { key: string }
    expect((await api('/pets?limit=1', key)).status).toBe(200)

    for (const name of ['dropped-1', 'dropped-2']) await create(`psk_pro.${name}`, 'Kit')
    expect((await remote('namespaces', 'drop', 'dropped-1')).out).toBe('Dropped dropped-1.\n')
    expect(await (await api('/pets', 'psk_pro.dropped-1')).json()).toEqual([])
    const dropped = await fetch(`${origin}/_sandbox/namespaces/dropped-2`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${TOKEN}` },
    })
    expect(dropped.status).toBe(204)
  })

  it('no other process answers for a killed one; after a restart it has its pets', async () => {
    const names = namespaces('kept')
    for (const name of names) await create(`psk_pro.${name}`, name)
    const lost = programs[0] as Program
    const { out } = await run(['namespaces', '--json', '--url', lost.origin, ...token])
    const its = (JSON.parse(out) as { name: string }[]).map(({ name }) => name)
    const status = async (name: string) => (await api('/pets?limit=1', `psk_pro.${name}`)).status
    await lost.stop('SIGKILL')
    for (const name of names) expect(await status(name)).toBe(its.includes(name) ? 502 : 200)

    const { port } = new URL(lost.origin)
    await start([...flags, '--port', port, '--db', join(folder, '1.json')], { cwd: folder })
    const mine = names.filter((name) => its.includes(name))
    expect(mine).not.toEqual([])
    for (const name of mine)
      expect(await (await api('/pets', `psk_pro.${name}`)).json()).toMatchObject([{ name }])
  })
})
