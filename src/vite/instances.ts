import type { Sandbox } from '../compose/sandbox.ts'
import type { SandboxOptions } from '../config/settings.ts'

/** A sandbox that several users of this process may share. */
interface Shared {
  sandbox: Sandbox
  options: SandboxOptions
  users: number
}

/** One registry per process, even if this module is loaded several times: a server that restarts may load it again. */
const REGISTRY = Symbol.for('petstore-sandbox.instances')
const registry = globalThis as { [REGISTRY]?: Map<string, Promise<Shared | undefined>> }

/**
 * Opens the sandbox of a name, unless it is open with the same options. A server that restarts creates its successor
 * before it ends: the successor takes over the sandbox with its state.
 */
export async function acquire(
  name: string,
  options: SandboxOptions,
  open: (options: SandboxOptions) => Promise<Sandbox>,
) {
  let failure: unknown
  const shared = (await inTurn(name, async (before) => {
    if (!before) return { sandbox: await open(options), options, users: 1 }
    if (JSON.stringify(before.options) === JSON.stringify(options))
      return Object.assign(before, { users: before.users + 1 })
    await before.sandbox.close()
    try {
      return Object.assign(before, { sandbox: await open(options), options, users: before.users + 1 })
    } catch (error) {
      failure = error
      // The server that was to restart continues.
      return Object.assign(before, { sandbox: await open(before.options) })
    }
  })) as Shared
  if (failure) throw failure
  let isReleased = false
  return {
    /** The current sandbox: other options replace it. */
    get sandbox(): Sandbox {
      return shared.sandbox
    },
    /** Closes the sandbox if this was its last user. */
    async release(): Promise<void> {
      if (isReleased) return
      isReleased = true
      await inTurn(name, async (before) => {
        shared.users--
        if (shared.users > 0) return before
        await shared.sandbox.close()
        return undefined
      })
    },
  }
}

type Act = (before: Shared | undefined) => Promise<Shared | undefined>

/** Runs actions on one instance one after the other. A failure removes the instance. */
function inTurn(name: string, act: Act): ReturnType<Act> {
  registry[REGISTRY] ??= new Map()
  const before = registry[REGISTRY].get(name) ?? Promise.resolve(undefined)
  const after = before.catch(() => undefined).then(act)
  registry[REGISTRY].set(name, after)
  return after
}
