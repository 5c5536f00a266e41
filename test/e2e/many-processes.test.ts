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
const NAMESPACES = Array.from({ length: 30 }, (_, i) => `worker-${i + 1}`)
const PETS = 200

describe.skipIf(!hasNginx)(
  'three processes behind nginx, as in docs/beyond-one-machine.md',
  {
    timeout: 120_000,
  },
  () => {
    const folder = temporaryFolder()
    let nginx: AsyncDisposable
    let origin: string
    let programs: Program[]
    const token = ['--control-token', TOKEN]
    const everywhere = () => [...programs.flatMap((program) => ['--url', program.origin]), ...token]

    beforeAll(async () => {
      // Frozen, so that no window ends on a slow machine.
      const flags = ['--host', '127.0.0.1', '--fixture', 'empty', '--freeze', ...token]
      programs = await Promise.all(
        [1, 2, 3].map(async (i) => {
          const own = ['--port', String(await freePort()), '--db', join(folder, `${i}.json`)]
          return start([...flags, ...own], { cwd: folder })
        }),
      )
      const port = await freePort()
      origin = `http://127.0.0.1:${port}`
      nginx = await startNginx(folder, recipeFor(port, programs), `${origin}/openapi.json`)
    }, 60_000)
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
    const remote = (...args: string[]) => run([...args, '--url', origin, ...token], { cwd: folder })

    it('every namespace gets each of its pets once, and is in one process', async () => {
      const ids = new Map(NAMESPACES.map((name) => [name, new Set<number>()]))
      for (let i = 0; i < PETS; i += 4) {
        await Promise.all(
          NAMESPACES.flatMap((name) =>
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
      const rows = (JSON.parse(out) as { name: string; pets: number; url: string }[]).filter(
        ({ name }) => name !== 'default',
      )
      expect(rows.map(({ name }) => name).toSorted()).toEqual(NAMESPACES.toSorted())
      expect(new Set(rows.map(({ pets }) => pets))).toEqual(new Set([PETS]))
      expect(new Set(rows.map(({ url }) => url)).size).toBe(3)
    })

    it('limits are exact, also for parallel requests', async () => {
      for (const name of NAMESPACES.slice(0, 6)) {
        const responses = await Promise.all(
          Array.from({ length: 64 }, () => api('/pets?limit=1', `psk_free.${name}`)),
        )
        const statuses = responses.map(({ status }) => status)
        await Promise.all(responses.map((response) => response.arrayBuffer()))
        expect(statuses.filter((status) => status === 200)).toHaveLength(60)
        expect(statuses.filter((status) => status === 429)).toHaveLength(4)
      }
    })

    it('a control call acts on its namespace, and the reports are added', async () => {
      expect((await fetch(`${origin}/_sandbox/clock?namespace=worker-1`)).status).toBe(401)
      const { out } = await remote('report', '--json', '--namespace', 'worker-1')
      expect(JSON.parse(out)).toMatchObject({ requests: PETS + 64, rateLimited: 4 })

      await remote('clock', 'advance', '61s', '--namespace', 'worker-1')
      expect((await api('/pets?limit=1', 'psk_free.worker-1')).status).toBe(200)
      expect((await api('/pets?limit=1', 'psk_free.worker-2')).status).toBe(429)

      const all = await run(['report', '--json', '--namespace', '*', ...everywhere()])
      expect(JSON.parse(all.out)).toMatchObject({
        requests: 30 * PETS + 6 * 64 + 2,
        rateLimited: 6 * 4 + 1,
        coverage: { createPet: { 201: 30 * PETS } },
      })
    })

    it('an issued key is valid in its namespace; a namespace is dropped in its process', async () => {
      const { out } = await remote('keys', 'create', 'pro', '--json', '--namespace', 'worker-5')
      const { key } = JSON.parse(out) as { key: string }
      expect((await api('/pets?limit=1', key)).status).toBe(200)

      expect((await remote('namespaces', 'drop', 'worker-7')).out).toBe('Dropped worker-7.\n')
      expect(await (await api('/pets', 'psk_pro.worker-7')).json()).toEqual([])
      const dropped = await fetch(`${origin}/_sandbox/namespaces/worker-8`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${TOKEN}` },
      })
      expect(dropped.status).toBe(204)
      // Created again for the test below.
      await (await api('/pets', 'psk_pro.worker-8')).arrayBuffer()
    })

    it('no other process answers for a killed one; after a restart it has its pets', async () => {
      const lost = programs[0] as Program
      const { out } = await run(['namespaces', '--json', '--url', lost.origin, ...token])
      const its = (JSON.parse(out) as { name: string }[]).map(({ name }) => name)
      const status = async (name: string) => (await api('/pets?limit=1', `psk_pro.${name}`)).status
      const others = NAMESPACES.filter((name) => !its.includes(name) && name !== 'worker-8')
      const mine = NAMESPACES.filter((name) => its.includes(name))
      await lost.stop('SIGKILL')
      for (const name of mine) expect(await status(name)).toBe(502)
      for (const name of others) expect(await status(name)).toBe(200)

      const { port } = new URL(lost.origin)
      await start(['--host', '127.0.0.1', '--port', port, '--db', join(folder, '1.json'), ...token], {
        cwd: folder,
      })
      const kept = mine.find((name) => name !== 'worker-7' && name !== 'worker-8') as string
      const pets = (await (await api('/pets?limit=100', `psk_pro.${kept}`)).json()) as unknown[]
      expect(pets).toHaveLength(100)
    })
  },
)
