import { listed } from '../text/listed.ts'
import { iso } from '../time/instant.ts'
import { ApiError } from '../world/api-error.ts'
import { RESET_PARTS } from '../world/reset.ts'
import { readTestName } from '../world/traffic/test-name.ts'
import { DEFAULT_NAMESPACE } from '../world/worlds.ts'
import type { ControlDeps } from './context.ts'
import type { SomeHandlers } from './operation.ts'
import { resetWorld } from './pets.ts'
import { jsonReply, NO_CONTENT, noSuch } from './reply.ts'

export const namespaces = {
  listNamespaces({ deps, real, namespace }) {
    const { worlds, hasOneNamespace } = deps
    const shown = hasOneNamespace ? [worlds.peek(namespace, real)] : worlds.all()
    return jsonReply(
      200,
      shown.map((world) => {
        const { name, collections, journal, tally, clock, label, origin } = world
        const entries = journal.entries()
        const test = label.value ?? entries.at(-1)?.test
        return {
          name,
          ...(!deps.service && { pets: collections.pets.size }),
          requests: entries.length,
          findings: tally.found,
          clock: { now: iso(world.now(real)), frozen: clock.frozen },
          ...(test !== undefined && { test: world.keys.secrets.mask(test) }),
          ...(origin && { origin }),
        }
      }),
    )
  },
  /** The Worker of a public sandbox answers this call before it arrives here. */
  makeWorld: {
    observe() {
      throw new ApiError(
        'not_implemented',
        'This sandbox is not public: a namespace is created at its first use. petstore-sandbox deploy --public writes a public one.',
      )
    },
  },
  /** Drops a namespace; `default`, which always exists, is reset. */
  dropNamespace: {
    // Its snapshots are deleted once the drop is durable.
    isSerial: true,
    async command({ deps, params: { name }, changes, command }) {
      const world = deps.worlds.find(name)
      if (!world) throw noSuch('namespace', name)
      world.beginCall(command)
      if (name === DEFAULT_NAMESPACE) {
        resetWorld(world, RESET_PARTS, deps)
        world.label.value = undefined
        world.origin = undefined
      } else {
        deps.drop(world)
        world.cancel('dropped')
      }
      changes.notify(world, ...RESET_PARTS)
      await deps.durable(name)
      if (name !== DEFAULT_NAMESPACE) await checkSnapshotsGone(name, deps)
      return NO_CONTENT
    },
  },
  /** Names the test to which later requests of a namespace belong; null removes the name. */
  setLabel({ world: find, changes, body: { label } }) {
    const world = find()
    world.label.value = label === null ? undefined : readTestName(label)
    changes.emit(world.name, { changed: [], point: world.endCall() })
    return jsonReply(200, { label: world.label.value ?? null })
  },
} satisfies SomeHandlers

/** Throws a 503 ApiError if a dropped namespace still has snapshots, since their files could not be deleted. */
async function checkSnapshotsGone(namespace: string, { snapshots }: ControlDeps): Promise<void> {
  const kept = await snapshots.list(namespace)
  if (kept.length === 0) return
  const names = listed(kept.map(({ name }) => name))
  throw new ApiError(
    'service_unavailable',
    `The namespace ${namespace} was dropped, but its snapshots could not be deleted (${names}). The output of the sandbox has the reason. Delete them with petstore-sandbox snapshot delete <name> --namespace ${namespace} or DELETE /_sandbox/snapshots/{name}?namespace=${namespace}.`,
  )
}
