import fs from 'node:fs'
import { onTestFinished, vi } from 'vitest'

/**
 * Calls `look` before and after each operation on the disk (each slice of a written file counts), until the test has
 * finished.
 */
export function atEveryStep(look: () => void): void {
  let looking = false
  // While another thread renames or removes a file, the state would not be consistent.
  let elsewhere = 0
  const step = (): void => {
    if (looking || elsewhere > 0) return
    looking = true
    look()
    looking = false
  }
  const synchronous = ['openSync', 'writeSync', 'ftruncateSync', 'closeSync', 'rmSync'] as const
  for (const name of synchronous) {
    const original = fs[name] as (...args: unknown[]) => unknown
    vi.spyOn(fs, name).mockImplementation(((...args: unknown[]) => {
      step()
      const result = original(...args)
      step()
      return result
    }) as never)
  }
  const asynchronous = ['open', 'rename', 'rm', 'mkdir', 'utimes'] as const
  for (const name of asynchronous) {
    const original = fs.promises[name] as (...args: unknown[]) => Promise<unknown>
    vi.spyOn(fs.promises, name).mockImplementation((async (...args: unknown[]) => {
      step()
      elsewhere++
      const result = await original(...args).finally(() => elsewhere--)
      step()
      if (name === 'open') stepInto(result as fs.promises.FileHandle, step)
      return result
    }) as never)
  }
  onTestFinished(() => void vi.restoreAllMocks())
}

function stepInto(handle: fs.promises.FileHandle, step: () => void): void {
  for (const name of ['writeFile', 'datasync', 'close'] as const) {
    const original = handle[name].bind(handle) as (...args: unknown[]) => Promise<void>
    vi.spyOn(handle, name).mockImplementation(async (...args: unknown[]) => {
      await original(...args)
      step()
    })
  }
}
