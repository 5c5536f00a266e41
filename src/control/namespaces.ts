import type { Reply } from '../domain/message.ts'
import { RESET_PARTS } from '../domain/reset.ts'
import { DEFAULT_NAMESPACE } from '../domain/worlds.ts'
import type { Context } from './context.ts'
import { resetWorld } from './pets.ts'
import { jsonReply, NO_CONTENT, notFound } from './reply.ts'

export const listNamespaces = ({ deps }: Context): Reply =>
  jsonReply(
    200,
    deps.worlds.all().map(({ name, shelves }) => ({ name, pets: shelves.pets.visible.size })),
  )

/** Forgets a namespace; `default`, which always exists, starts over. */
export async function dropNamespace({ deps, params, changes }: Context): Promise<Reply> {
  const { worlds, commit } = deps
  const { name = '' } = params
  const world = worlds.find(name)
  if (!world) throw notFound(`There is no namespace ${name}.`)
  if (name === DEFAULT_NAMESPACE) await resetWorld(world, RESET_PARTS, deps)
  else await commit(world, { op: 'drop', namespace: name }, () => worlds.drop(name))
  changes.tell(world, ...RESET_PARTS)
  return NO_CONTENT
}
