import type { ServerResponse } from 'node:http'
import { dirname, posix, relative, resolve } from 'node:path'
import chalk from 'chalk'
import type { Logger, Plugin, PreviewServer, ViteDevServer } from 'vite'
import { acquire, type Instance } from './compose/instances.ts'
import type { Middleware, Sandbox } from './compose/sandbox.ts'
import type { SandboxOptions } from './config/settings.ts'
import { DataFileInUseError } from './node/store/data-file-error.ts'
import { plural } from './text/plural.ts'
import { printableLines } from './text/printable.ts'

/** The options of the plugin: those of a sandbox, with a data file as the default. */
export interface PetstoreSandboxOptions
  extends Omit<SandboxOptions, 'port' | 'host' | 'listen' | 'control' | 'trustForwarded'> {
  /** Keeps nothing: no data file. */
  readonly memory?: boolean
}

const DATA_FILE = '.petstore-sandbox/db.json'

/**
 * Serves the Animal Store API under `/v1` and its control API under `/_sandbox` of Vite's own origin, in `vite dev`
 * and `vite preview`. Off under Vitest, whose tests make sandboxes of their own.
 */
export function petstoreSandbox(options: PetstoreSandboxOptions = {}): Plugin {
  const instances: Instance[] = []
  const mount = async (server: ViteDevServer | PreviewServer): Promise<Instance> => {
    const { root, logger } = server.config
    const { settings, file } = located(options, root)
    const name = file ?? `${root} in memory`
    const instance = await acquire(name, settings, (wanted) => open(wanted, logger))
    // Vite serves what lies below its root, and the data file holds keys.
    if (file !== undefined) server.middlewares.use(hide(relative(root, file)))
    server.middlewares.use((message, response, next) => instance.sandbox.middleware(message, response, next))
    printBehindUrls(server, instance)
    return instance
  }
  return {
    name: 'petstore-sandbox',
    apply: (_, { command }) => command === 'serve' && process.env.VITEST === undefined,
    config: ({ server }) =>
      server?.watch === null ? {} : { server: { watch: { ignored: [`**/${dirname(DATA_FILE)}/**`] } } },
    async configureServer(server) {
      instances.push(await mount(server))
    },
    async configurePreviewServer(server) {
      const { release } = await mount(server)
      const { close } = server
      server.close = async () => {
        await close.call(server)
        await release()
      }
      server.httpServer.once('close', release)
    },
    // The end of a development server; of one that restarts, after its successor was configured.
    async closeBundle() {
      if (this.environment.name === 'client') await instances.shift()?.release()
    },
  }
}

/** @alias The plugin, as a default import. */
export default petstoreSandbox

function located({ memory, ...options }: PetstoreSandboxOptions, root: string) {
  const file = memory ? undefined : resolve(root, options.db ?? DATA_FILE)
  return { settings: { ...options, ...(file !== undefined && { db: file }), listen: false }, file }
}

async function open(settings: SandboxOptions, logger: Logger): Promise<Sandbox> {
  const { createSandbox } = await import('./compose/sandbox.ts')
  try {
    return await createSandbox(settings)
  } catch (error) {
    if (!(error instanceof DataFileInUseError)) throw error
    const { db: _, ...others } = settings
    const sandbox = await createSandbox(others)
    logger.warn(
      chalk.yellow(
        `petstore-sandbox keeps its state in memory: ${printableLines(`${error.file}: ${error.reason}`)}.`,
      ),
    )
    return sandbox
  }
}

/** Answers 404 for the data file and the files kept beside it, by any path that leads there. */
function hide(file: string): Middleware {
  const hidden = `/${file.replaceAll('\\', '/').replace(/\.json$/, '')}`.toLowerCase()
  return (message, response, next) => {
    const { url = '' } = message as { url?: string }
    if (!pathOf(url).includes(hidden)) next()
    else (response as ServerResponse).writeHead(404).end()
  }
}

function pathOf(url: string): string {
  const path = url.replace(/[?#].*/s, '')
  try {
    return posix.normalize(decodeURIComponent(path).replaceAll('\\', '/')).toLowerCase()
  } catch {
    return path
  }
}

/** Prints its address together with the addresses that Vite prints, in the same format. */
function printBehindUrls(server: ViteDevServer | PreviewServer, instance: Instance): void {
  const { logger, root } = server.config
  const { printUrls } = server
  server.printUrls = () => {
    printUrls.call(server)
    const url = server.resolvedUrls?.local[0] ?? server.resolvedUrls?.network[0]
    if (url === undefined) return
    const { info } = instance.sandbox
    const { origin } = new URL(url)
    const kept = info.dataFile === null ? 'in memory' : relative(root, info.dataFile)
    logger.info(line('API', `${origin}/v1`, `key psk_pro, ${plural(info.pets, 'pet')}, ${kept}`))
    logger.info(line('Sandbox', `${origin}/_sandbox/`))
    for (const notice of info.notices.filter(isNews)) logger.warn(chalk.yellow(printableLines(notice)))
  }
}

/** That a fixture was not used again is how it goes from the second start on. */
const isNews = (notice: string): boolean => !notice.startsWith('The fixture ')

function line(name: string, url: string, more = ''): string {
  const link = chalk.cyan(url.replace(/:(\d+)\//, (_, port) => `:${chalk.bold(port)}/`))
  return `  ${chalk.green('➜')}  ${chalk.bold(name)}:${' '.repeat(8 - name.length)}${link}${more && chalk.dim(`  ${more}`)}`
}
