import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const src = fileURLToPath(new URL('../src/', import.meta.url))

/** From the top down: a room imports only from lower floors, not from rooms on its own floor. */
const FLOORS = [
  ['cli', 'index', 'core', 'vitest', 'jest', 'playwright', 'vite', 'worker'],
  ['edge'],
  ['compose'],
  ['mcp', 'tools', 'matchers'],
  ['node', 'prism', 'client', 'config'],
  ['api', 'control', 'views', 'fixtures', 'web'],
  ['past'],
  ['contract'],
  ['world'],
  ['time'],
  ['text'],
  // A separate program, which runs in the browser.
  ['inspector'],
]

interface Import {
  readonly from: string
  readonly to: string
  readonly typeOnly: boolean
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
  (name) => /\.tsx?$/.test(name) && !name.includes('generated'),
)

/** `world` for world/world.ts, `index` for index.ts. */
const roomOf = (file: string): string => (file.split('/')[0] as string).replace(/\.ts$/, '')

const IMPORT =
  /(?:^|\n)(?:import|export)\s+(type\s)?[^'"]*?from\s+'([^']+)'|import\('([^']+)'\)|\nimport '([^']+)'/g

const imports: Import[] = files.flatMap((from) =>
  [...readFileSync(join(src, from), 'utf8').matchAll(IMPORT)].map((match) => ({
    from,
    to: match[2] ?? match[3] ?? match[4] ?? '',
    typeOnly: match[1] !== undefined,
  })),
)

const inside = imports.filter(({ to }) => to.startsWith('.'))
const targetOf = ({ from, to }: Import): string => relative(src, join(src, dirname(from), to))
/** Whether an import is a type of the contract, which every room may use. */
const isGenerated = (each: Import): boolean =>
  each.typeOnly && /^contract\/generated\/[a-z-]+\.types\.d\.ts$/.test(targetOf(each))
const floorOf = (room: string): number => FLOORS.findIndex((rooms) => rooms.includes(room))

/**
 * Pure tables and functions that the page shares with exec, instead of copies or calls. They import only types or each
 * other, so that the page loads no other files with them.
 */
const SHARED_WITH_PAGE = [
  'control/call-words.ts',
  'control/search-text.ts',
  'text/advised-error.ts',
  'text/in-thousands.ts',
  'text/url.ts',
  'text/grouped.ts',
  'text/plural.ts',
  'text/printable.ts',
  'text/shell.ts',
  'text/shorten.ts',
  'time/duration.ts',
  'time/instant.ts',
  'world/traffic/address.ts',
  'world/traffic/gates.ts',
  'world/traffic/report.ts',
]
const isShared = (each: Import): boolean =>
  roomOf(each.from) === 'inspector' && SHARED_WITH_PAGE.includes(targetOf(each))

/** The code of a file without comments. */
const codeOf = (file: string): string =>
  readFileSync(join(src, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')

/** The portable rooms: they run in Node, in a page and in a Durable Object from the same files. */
const CORE = ['time', 'text', 'world', 'contract', 'past', 'api', 'control', 'views', 'fixtures']

/** The pure rooms: their code uses nothing but its inputs. */
const PURE = ['time', 'text', 'world']

/** The rooms of pure functions: each file is imported by a test. */
const TESTED = ['time', 'text', 'world', 'api', 'views']

/** The files of src that tests import. */
function importedByTests(): Set<string> {
  const tests = fileURLToPath(new URL('.', import.meta.url))
  const names = readdirSync(tests, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.tsx?$/.test(name),
  )
  const found = names.flatMap((name) =>
    [...readFileSync(join(tests, name), 'utf8').matchAll(/from '(\.[^']+)'/g)].map((match) =>
      relative(src, join(tests, dirname(name), match[1] ?? '')),
    ),
  )
  return new Set(found)
}

/** Whether a file has more than types. */
const hasCode = (file: string): boolean =>
  /^(?:export )?(?:default )?(?:async )?(?:const|let|class|function)\b/m.test(codeOf(file))

/** From the top down, inside a room: a folder imports from later ones; files beside the folders may import from all. */
const INSIDE: Readonly<Record<string, readonly string[]>> = {
  world: ['traffic', 'faults', 'limits', 'keys', 'pets'],
  inspector: ['frame', 'views', 'parts', 'data', 'text'],
}

/** The files beside the folders of a room that the folders may import. */
const LEAVES = ['api-error', 'budget', 'part', 'plan', 'policy', 'store'].map((name) => `world/${name}.ts`)

/** The rooms that may import `node:`. */
const IN_NODE = ['node', 'prism', 'config', 'client', 'mcp', 'tools', 'compose', 'cli', 'vite', 'playwright']

/** The import cycles, each as its files in alphabetical order. */
function cyclesOf(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const reached = new Map<string, Set<string>>()
  for (const start of graph.keys()) {
    const seen = new Set<string>()
    for (const queue = [...(graph.get(start) ?? [])]; queue.length > 0; ) {
      const next = queue.pop() as string
      if (seen.has(next)) continue
      seen.add(next)
      queue.push(...(graph.get(next) ?? []))
    }
    reached.set(start, seen)
  }
  const around = (file: string) =>
    [...(reached.get(file) ?? [])].filter((other) => reached.get(other)?.has(file)).toSorted()
  return [...new Set([...graph.keys()].map((file) => around(file).join(' ')))].filter(Boolean)
}

/** The maximal number of lines of each room, with documents and style sheets. A commit that raises one has the reason. */
const MOST_LINES: Readonly<Record<string, number>> = {
  '*.ts': 447,
  api: 1857,
  cli: 3853,
  client: 672,
  compose: 1313,
  config: 933,
  contract: 4752,
  control: 3389,
  edge: 1176,
  fixtures: 803,
  inspector: 8078,
  matchers: 117,
  mcp: 622,
  node: 4111,
  past: 1968,
  playwright: 124,
  prism: 754,
  text: 260,
  time: 502,
  tools: 2909,
  views: 1429,
  vite: 188,
  web: 526,
  world: 5864,
}

/** The types that the world and the control document both have, with the same meaning. */
const SAME_AS_IN_THE_DOCUMENT = ['FindingKind', 'FixtureKey', 'Pet']

describe('the house', () => {
  it('has a floor for every room', () => {
    expect([...new Set(files.map(roomOf))].filter((room) => floorOf(room) < 0)).toEqual([])
  })

  it('finds the imports', () => {
    expect(inside.length).toBeGreaterThan(300)
  })

  it('imports point down', () => {
    const up = inside.filter((each) => {
      const [from, to] = [roomOf(each.from), roomOf(targetOf(each))]
      const isOutside = to.startsWith('..')
      return (
        from !== to && !isOutside && !isGenerated(each) && !isShared(each) && floorOf(from) >= floorOf(to)
      )
    })
    expect(up.map((each) => `${each.from} → ${targetOf(each)}`)).toEqual([])
  })

  it('the inspector is a separate program: it shares only generated types and a few pure files with other rooms', () => {
    const crossing = inside.filter(
      (each) => (roomOf(each.from) === 'inspector') !== (roomOf(targetOf(each)) === 'inspector'),
    )
    const others = crossing.filter(
      (each) => !(each.typeOnly && targetOf(each).startsWith('contract/generated/')) && !isShared(each),
    )
    expect(others.map((each) => `${each.from} → ${targetOf(each)}`)).toEqual([])
    const beside = inside.filter(
      (each) =>
        SHARED_WITH_PAGE.includes(each.from) && !each.typeOnly && !SHARED_WITH_PAGE.includes(targetOf(each)),
    )
    expect(beside).toEqual([])
    const node = imports.filter(({ from, to }) => roomOf(from) === 'inspector' && to.startsWith('node:'))
    expect(node).toEqual([])
  })

  it('imports point down inside a room', () => {
    const up = inside.filter((each) => {
      const order = INSIDE[roomOf(each.from)]
      const [from, to] = [each.from, targetOf(each)].map((file) => file.split('/'))
      if (!order || !from || !to || to[0] !== from[0] || from.length < 3) return false
      if (to.length < 3) return order.includes(from[1] ?? '') && !LEAVES.includes(targetOf(each))
      return from[1] !== to[1] && order.indexOf(from[1] ?? '') > order.indexOf(to[1] ?? '')
    })
    expect(up.map((each) => `${each.from} → ${targetOf(each)}`)).toEqual([])
  })

  it('no files import each other in a cycle', () => {
    const graph = new Map(files.map((file) => [file, [] as string[]]))
    for (const each of inside) graph.get(each.from)?.push(targetOf(each))
    expect(cyclesOf(graph)).toEqual([])
  })

  it('the core imports nothing of Node', () => {
    const node = imports.filter(({ from, to }) => to.startsWith('node:') && !IN_NODE.includes(roomOf(from)))
    expect(node.map(({ from, to }) => `${from} → ${to}`)).toEqual([])
  })

  it('only prism/ imports Prism', () => {
    const elsewhere = imports.filter(
      ({ from, to }) => to.startsWith('@stoplight/') && roomOf(from) !== 'prism',
    )
    expect(elsewhere).toEqual([])
  })

  it('the world is pure: it imports only types of the contract, and uses no clock, no random numbers, no environment', () => {
    const world = files.filter((file) => PURE.includes(roomOf(file)))
    const outside = imports.filter(
      (each) =>
        PURE.includes(roomOf(each.from)) && !PURE.includes(roomOf(targetOf(each))) && !isGenerated(each),
    )
    expect(outside).toEqual([])
    const impure =
      /\bDate\.now\(|new Date\(\)|\bMath\.random\(|\bprocess\.|\bperformance\.|\bfetch\(|\bsetTimeout\(|\bconsole\./
    expect(world.filter((file) => impure.test(codeOf(file)))).toEqual([])
  })

  it('commands use no clock, timer or random numbers other than their inputs', () => {
    const impure =
      /\bDate\.now\b|new Date\(\)|\bMath\.random\b|\bperformance\.|\bset(Timeout|Interval)\b|\bgetRandomValues\b|\brandom(Bytes|Int|UUID)\b/
    const found = files.filter((file) => CORE.includes(roomOf(file)) && impure.test(codeOf(file)))
    expect(found).toEqual([])
  })

  it('no room has more lines than its budget', () => {
    const lines: Record<string, number> = {}
    for (const name of readdirSync(src, { recursive: true, encoding: 'utf8' })) {
      if (!/\.(tsx?|css|html|yaml)$/.test(name) || name.includes('generated')) continue
      const room = name.includes('/') ? roomOf(name) : '*.ts'
      lines[room] = (lines[room] ?? 0) + readFileSync(join(src, name), 'utf8').split('\n').length - 1
    }
    const over = Object.entries(lines).filter(([room, count]) => count > (MOST_LINES[room] ?? 0))
    expect(over).toEqual([])
  })

  it('tests create their folders in one place', () => {
    const tests = fileURLToPath(new URL('.', import.meta.url))
    // Child programs, and code that builds packages for measurements and other tools.
    const apart = /^(bench|compat|recordings)\/|child\.ts$|^e2e\/workspace\.ts$|^support\/folder\.ts$|^house/
    const names = readdirSync(tests, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts') && !apart.test(name),
    )
    expect(names.filter((name) => readFileSync(join(tests, name), 'utf8').includes('mkdtemp'))).toEqual([])
  })

  it('no two exported types have the same name', () => {
    const named = [...files, 'contract/generated/control.types.d.ts'].flatMap((file) =>
      [...readFileSync(join(src, file), 'utf8').matchAll(/^export (?:interface|type|class) (\w+)/gm)].map(
        ([, name]) => `${name} ${file}`,
      ),
    )
    const names = named.map((each) => each.split(' ')[0] ?? '')
    const twice = new Set(names.filter((name, i) => names.indexOf(name) !== i))
    expect([...twice].toSorted()).toEqual(SAME_AS_IN_THE_DOCUMENT)
  })

  it('every file of the pure rooms that has code is imported by a test', () => {
    const tested = importedByTests()
    const pure = files.filter((file) => TESTED.includes(roomOf(file)) && hasCode(file))
    expect(pure.length).toBeGreaterThan(70)
    expect(pure.filter((file) => !tested.has(file))).toEqual([])
  })
})
