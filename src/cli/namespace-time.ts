import type { ControlClient } from '../client/control.ts'

/** The virtual time of the client's namespace, in milliseconds since the epoch. */
export async function nowOf(client: ControlClient): Promise<number> {
  const { value } = await client.call('GET', '/clock')
  return Date.parse(value.now)
}
