import type { Reply } from '../domain/traffic/message.ts'
import { iso } from '../domain/world/instant.ts'
import { RESET_PARTS } from '../domain/world/reset.ts'
import type { World } from '../domain/world/world.ts'
import { DEFAULT_NAMESPACE } from '../domain/world/worlds.ts'
import type { ControlContext, ControlDeps } from './context.ts'
import { resetWorld } from './pets.ts'
import { jsonReply, NO_CONTENT, notFound } from './reply.ts'

export const listNamespaces = ({ deps, real }: ControlContext): Reply =>
  jsonReply(
    200,
    deps.worlds.all().map((world) => ({
      name: world.name,
      pets: world.shelves.pets.visible.size,
      requests: world.journal.length,
      clock: { now: iso(world.now(real)), frozen: world.clock.frozen },
    })),
  )

/** Forgets a namespace; `default`, which always exists, starts over. */
export async function dropNamespace({ deps, params, changes }: ControlContext): Promise<Reply> {
  const { name = '' } = params
  const world = deps.worlds.find(name)
  if (!world) throw notFound(`There is no namespace ${name}.`)
  if (name === DEFAULT_NAMESPACE) await resetWorld(world, RESET_PARTS, deps)
  else await drop(world, deps)
  changes.tell(world, ...RESET_PARTS)
  return NO_CONTENT
}

/** At once for everyone, so that what comes next is of a new world; back again where it could not be stored. */
async function drop(world: World, { worlds, commit }: ControlDeps): Promise<void> {
  const stored = commit(world, { op: 'drop', namespace: world.name }, () => {})
  const putBack = worlds.drop(world.name)
  try {
    await stored
  } catch (error) {
    putBack()
    throw error
  }
}
