import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, relative } from 'node:path'
import {
  type BrowserContext,
  expect as baseExpect,
  test as baseTest,
  type Expect,
  type PlaywrightTestArgs,
  type PlaywrightTestOptions,
  type PlaywrightWorkerArgs,
  type PlaywrightWorkerOptions,
  type TestInfo,
  type TestType,
} from '@playwright/test'
import { type ControlClient, connectControl } from './client/control.ts'
import { createWorld, type WorldHandle } from './client/world.ts'
import { withFile } from './compose/seed-file.ts'
import { refuseBaseUrl } from './config/base-url.ts'
import { matchers } from './matchers/matchers.ts'
import { createPageClocks, type PageClocks } from './playwright/clocks.ts'
import { namespaceOf } from './playwright/namespace.ts'
import { apiRoute } from './playwright/route.ts'
import { printableLines } from './text/printable.ts'
import { shellWord } from './text/shell.ts'
import { BASE_PATH } from './world/traffic/address.ts'

/** The sandbox that the tests of a worker share: its own, or the one at PETSTORE_SANDBOX_URL. */
export interface SharedSandbox {
  /** `http://localhost:53412` */
  readonly origin: string
  /** Ends in /v1. */
  readonly baseUrl: string
  /** Another world of the sandbox. */
  namespace(name: string): WorldHandle
  readonly control: ControlClient
}

/** The world of a test. Moving its clock forward also moves the clocks of the pages. */
export interface TestWorld extends WorldHandle {
  /** Ends in /v1. Pages call the API at this address. */
  readonly baseUrl: string
  /** Routes the requests of another browser context to this world. The context of the test is already attached. */
  attach(context: BrowserContext): Promise<void>
}

export interface SandboxTestArgs {
  readonly world: TestWorld
}

export interface SandboxTestOptions {
  /** Other base URLs at which the pages call the API, such as `https://api.example.com/v1`. */
  apiUrls: readonly string[]
  /** Whether the clocks of the pages follow the clock of the world. The default is true. */
  pageClock: boolean
  /** The fixture of each test: the name of a built-in one, or a file; by default that of the sandbox. */
  fixture: string | undefined
}

export interface SandboxWorkerArgs {
  readonly sandbox: SharedSandbox
}

export interface SandboxWorkerOptions {
  /** The options of the sandbox that each worker starts. A sandbox at PETSTORE_SANDBOX_URL has its own. */
  sandboxOptions: Omit<
    import('./config/settings.ts').SandboxOptions,
    'port' | 'host' | 'cert' | 'key' | 'listen' | 'control' | 'trustForwarded'
  >
}

/** The `test` of Playwright with a `world` for each test. */
export const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & SandboxTestArgs & SandboxTestOptions,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions & SandboxWorkerArgs & SandboxWorkerOptions
> = baseTest.extend<
  SandboxTestArgs & SandboxTestOptions & { pageClocks: PageClocks },
  SandboxWorkerArgs & SandboxWorkerOptions
>({
  sandboxOptions: [{}, { option: true, scope: 'worker' }],
  apiUrls: [[], { option: true }],
  pageClock: [true, { option: true }],
  fixture: [undefined, { option: true }],
  // Requests of a service worker bypass every route.
  serviceWorkers: 'block',

  sandbox: [
    async ({ sandboxOptions }, use) => {
      const { PETSTORE_SANDBOX_URL: url, PETSTORE_SANDBOX_CONTROL_TOKEN: token } = process.env
      if (url) {
        refuseBaseUrl(url, 'PETSTORE_SANDBOX_URL: ')
        await use(sharedAt(new URL(url).origin, token))
        return
      }
      const { createSandbox } = await import('./compose/sandbox.ts')
      const sandbox = await createSandbox({ ...sandboxOptions, port: 0 })
      await use(sharedAt(new URL(sandbox.baseUrl).origin, sandboxOptions.controlToken))
      await sandbox.close()
    },
    { scope: 'worker' },
  ],

  // Playwright reads from this pattern that it needs no other fixture.
  // biome-ignore lint/correctness/noEmptyPattern: see above
  pageClocks: async ({}, use) => use(createPageClocks()),

  world: async ({ sandbox, apiUrls, pageClock, pageClocks, fixture }, use, testInfo) => {
    const name = namespaceOf(testInfo)
    const drop = () =>
      sandbox.control.call('DELETE', '/namespaces/{name}', { path: { name } }).catch(() => undefined)
    // Another run may have left a namespace of this name.
    await drop()
    const world = sandbox.namespace(name)
    if (fixture !== undefined) await world.seed({ fixture })
    await world.label(testInfo.titlePath.slice(1).join(' › '))
    const route = apiRoute(sandbox.baseUrl, apiUrls, world)
    const attach = async (context: BrowserContext) => {
      await context.route(route.applies, route.handle)
      context.on('serviceworker', (worker) => noteServiceWorker(testInfo, worker.url()))
      if (pageClock) await pageClocks.add(context, world)
    }
    await use({ ...pageClocks.followed(world), baseUrl: sandbox.baseUrl, attach })
    if (testInfo.status === testInfo.expectedStatus) await drop()
    else await attachHistory(sandbox, name, testInfo)
  },

  context: async ({ context, world }, use) => {
    await world.attach(context)
    await use(context)
  },
})

/** The `expect` of Playwright with matchers for a world. */
export const expect: Expect<typeof matchers> = baseExpect.extend(matchers)

const sharedAt = (origin: string, token: string | undefined): SharedSandbox => {
  const control = connectControl({ url: origin, namespace: 'default', token })
  return {
    origin,
    baseUrl: `${origin}${BASE_PATH}`,
    namespace: (name) => createWorld(control.in(name), withFile),
    control,
  }
}

function noteServiceWorker({ annotations }: TestInfo, url: string): void {
  annotations.push({
    type: 'petstore-sandbox',
    description: `Requests of the service worker ${url} itself do not reach the world of this test.`,
  })
}

/**
 * For a failed test: attaches its requests and responses as HAR to the report, and a recording as a file. The terminal
 * says how to replay it.
 */
async function attachHistory(
  { control }: SharedSandbox,
  namespace: string,
  testInfo: TestInfo,
): Promise<void> {
  const client = control.in(namespace)
  const { value: har } = await client.call('GET', '/requests', { accept: 'application/har+json' })
  await testInfo.attach(`petstore-sandbox-${namespace}.har`, {
    body: JSON.stringify(har, undefined, 2),
    contentType: 'application/json',
  })
  const path = testInfo.outputPath('petstore-sandbox.jsonl')
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, await client.document('/recording'), { mode: 0o600 })
  testInfo.attachments.push({ name: 'petstore-sandbox.jsonl', path, contentType: 'application/jsonl' })
  const file = shellWord(printableLines(relative(process.cwd(), path)))
  console.log(`Replay what the sandbox received: npx petstore-sandbox replay ${file}`)
}
