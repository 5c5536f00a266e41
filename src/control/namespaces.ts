import type { Reply } from '../domain/message.ts'
import { RESET_PARTS } from '../domain/reset.ts'
import type { World } from '../domain/world.ts'
import { DEFAULT_NAMESPACE } from '../domain/worlds.ts'
import type { Context, ControlDeps } from './context.ts'
import { resetWorld } from './pets.ts'
import { jsonReply, NO_CONTENT, notFound } from './reply.ts'

export const listNamespaces = ({ deps }: Context): Reply =>
  jsonReply(
    200,
    deps.worlds.all().map(({ name, shelves }) => ({ name, pets: shelves.pets.visible.size })),
  )

/** Forgets a namespace; `default`, which always exists, starts over. */
export async function dropNamespace({ deps, params, changes }: Context): Promise<Reply> {
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
