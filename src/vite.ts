import { dirname, relative } from 'node:path'
import chalk from 'chalk'
import type { Logger, Plugin, PreviewServer, ViteDevServer } from 'vite'
import type { Middleware, Sandbox } from './compose/sandbox.ts'
import type { SandboxOptions, StartOptions } from './config/settings.ts'
import { isOurs } from './node/http/middleware.ts'
import { DataFileInUseError } from './node/store/data-file-error.ts'
import { plural } from './text/plural.ts'
import { printableLines } from './text/printable.ts'
import { urlOf, withoutSlashes } from './text/url.ts'
import { hides } from './vite/hidden.ts'
import { acquire } from './vite/instances.ts'
import { remoteSandbox } from './vite/remote-sandbox.ts'

/** The options of a server of its own: Vite is the server. */
const SERVER_OPTIONS = ['port', 'host', 'cert', 'key', 'listen', 'control', 'trustForwarded'] as const

type ServerOption = (typeof SERVER_OPTIONS)[number]

/** The options of the plugin: those of a sandbox, with a data file as the default. */
export interface PetstoreSandboxOptions extends Omit<StartOptions, ServerOption | 'readyFile' | 'config'> {
  /** A second prefix for the API: with `/api`, the page may fetch `/api/v1/pets` or `/api/pets`. */
  readonly path?: `/${string}`
  /**
   * The address of another dev server with the sandbox, `http://localhost:5173`, to which requests for the API are
   * passed. Only `path` can be given with it.
   */
  readonly url?: string
}

const DATA_FILE = '.petstore-sandbox/db.json'

/**
 * Serves the Animal Store API under `/v1` and its control API under `/_sandbox` at the origin of Vite, in `vite dev`
 * and `vite preview`. Off under Vitest, where tests start sandboxes of their own.
 */
export function petstoreSandbox(options: PetstoreSandboxOptions = {}): Plugin {
  // The wrong kind of options is refused with the others, when the server starts.
  const { path: prefix, url, ...own }: PetstoreSandboxOptions = Object(options)
  const path = pathOf(prefix)
  const released: (() => Promise<void>)[] = []
  const mount = async (server: ViteDevServer | PreviewServer): Promise<() => Promise<void>> => {
    const use = (middleware: Middleware) => {
      if (path !== '') server.middlewares.use(path, underPrefix(middleware))
      server.middlewares.use(middleware)
    }
    const { root, base, publicDir, logger } = server.config
    const { memory, ...given } = await readOptions(options, root)
    const origin = url === undefined ? undefined : originOf(url, own)
    const file = origin !== undefined || memory ? undefined : given.db
    server.middlewares.use(hides(file, dirname(DATA_FILE), { root, base, publicDir }))
    if (origin !== undefined) {
      use(remoteSandbox(origin))
      printBehindUrls(server, path, () => ({ about: `by ${origin}`, control: origin }))
      return async () => {}
    }
    const name = file ?? `${root} in memory`
    const settings = { ...given, db: file, listen: false }
    const instance = await acquire(name, settings, (wanted) => open(wanted, logger))
    use((message, response, next) => instance.sandbox.middleware(message, response, next))
    printBehindUrls(server, path, () => about(instance.sandbox, root))
    return instance.release
  }
  return {
    name: 'petstore-sandbox',
    apply: (_, { command }) => command === 'serve' && process.env.VITEST === undefined,
    config: ({ server }) =>
      server?.watch === null ? {} : { server: { watch: { ignored: [`**/${dirname(DATA_FILE)}/**`] } } },
    async configureServer(server) {
      released.push(await mount(server))
    },
    async configurePreviewServer(server) {
      const release = await mount(server)
      const { close } = server
      server.close = async () => {
        await close.call(server)
        await release()
      }
      server.httpServer.once('close', release)
    },
    // The end of a development server. If it restarts, its successor was already configured.
    async closeBundle() {
      if (this.environment.name === 'client') await released.shift()?.()
    },
  }
}

/** @alias The plugin, as a default import. */
export default petstoreSandbox

/** Reads all options; their files are relative to the root of Vite. Loaded here: a build needs no sandbox. */
async function readOptions(options: PetstoreSandboxOptions, root: string) {
  const { SANDBOX_OPTIONS } = await import('./config/options.ts')
  const { placed } = await import('./config/resolve.ts')
  const table = await import('./config/table.ts')
  const ofServer: readonly string[] = SERVER_OPTIONS
  const names = SANDBOX_OPTIONS.filter((name) => !ofServer.includes(name))
  table.refuseUnknown(options, ['memory', 'path', 'url', ...names], 'petstoreSandbox')
  const read = table.readOptions({ ...options }, (name) => `petstoreSandbox: ${name}`)
  if (read.memory && read.db !== undefined)
    throw new TypeError(
      `petstoreSandbox: memory uses no data file, but db names ${read.db}; use one of the two`,
    )
  return placed({ db: DATA_FILE, ...read }, root)
}

/** The prefix without slashes at its end. Throws a TypeError if it is not a prefix, or one of the sandbox itself. */
function pathOf(prefix: unknown): string {
  if (prefix === undefined) return ''
  if (typeof prefix === 'string' && /^\/(?!(?:v1|_sandbox)(?:\/|$))[^/]/.test(prefix))
    return withoutSlashes(prefix)
  throw new TypeError(`petstoreSandbox: path cannot be "${prefix}"; use a prefix such as /api`)
}

/** Throws a TypeError if the address is invalid, or if other options of a sandbox are given. */
function originOf(url: string, others: object): string {
  const [other] = Object.keys(others)
  if (other !== undefined)
    throw new TypeError(
      `petstoreSandbox: ${other} is an option of the sandbox at ${url}; remove it, or remove url`,
    )
  const address = urlOf(url)
  if (!/^https?:\/\/[^/]/.test(url) || !address)
    throw new TypeError(`petstoreSandbox: "${url}" is not a valid url; use http://localhost:5173`)
  return address.origin
}

/** Connect removes the prefix; the rest may begin with /v1 or with the path after it. */
const underPrefix =
  (middleware: Middleware): Middleware =>
  (message, response, next) => {
    const request = message as { url: string }
    const { url } = request
    if (!isOurs(url)) request.url = `/v1${url}`
    middleware(message, response, next)
  }

async function open(settings: SandboxOptions, logger: Logger): Promise<Sandbox> {
  const { createSandbox } = await import('./compose/sandbox.ts')
  try {
    return await createSandbox(settings)
  } catch (error) {
    if (!(error instanceof DataFileInUseError)) throw error
    const { db: _, ...others } = settings
    const sandbox = await createSandbox(others)
    logger.warn(chalk.yellow(`petstore-sandbox keeps its state in memory: ${printableLines(error.problem)}.`))
    return sandbox
  }
}

interface Shown {
  /** The text after the address of the API. */
  readonly about: string
  /** The address of control API and inspector; by default that of Vite. */
  readonly control?: string
  readonly notices?: readonly string[]
}

function about({ info }: Sandbox, root: string): Shown {
  const kept = info.dataFile === null ? 'in memory' : relative(root, info.dataFile)
  return {
    about: `key psk_pro, ${plural(info.pets, 'pet')}, ${kept}`,
    notices: info.notices.filter(({ kind }) => kind !== 'unused-fixture').map(({ text }) => text),
  }
}

/** Prints its address after the addresses that Vite prints, in the same format. */
function printBehindUrls(server: ViteDevServer | PreviewServer, path: string, shown: () => Shown): void {
  const { logger } = server.config
  const { printUrls } = server
  server.printUrls = () => {
    printUrls.call(server)
    const url = server.resolvedUrls?.local[0] ?? server.resolvedUrls?.network[0]
    if (url === undefined) return
    const { origin } = new URL(url)
    const { about, control = origin, notices = [] } = shown()
    logger.info(line('API', `${origin}${path}/v1`, about))
    logger.info(line('Sandbox', `${control}/_sandbox/`))
    for (const notice of notices) logger.warn(chalk.yellow(printableLines(notice)))
  }
}

function line(name: string, url: string, more = ''): string {
  const link = chalk.cyan(url.replace(/:(\d+)\//, (_, port) => `:${chalk.bold(port)}/`))
  return `  ${chalk.green('➜')}  ${chalk.bold(name)}:${' '.repeat(8 - name.length)}${link}${more && chalk.dim(`  ${more}`)}`
}
