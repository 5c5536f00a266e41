import { BASE, Refusal, send } from './api.ts'

/** Saves what a path of the control API answers as a file. */
export async function save(path: string, name: string): Promise<void> {
  const response = await send(new Request(BASE + path))
  if (!response.ok) {
    const { message } = (await response.json().catch(() => ({}))) as { message?: string }
    throw new Refusal(message ?? `The sandbox answered with ${response.status}.`, response.status)
  }
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await response.blob())
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
