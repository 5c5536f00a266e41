import { realpathSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { basename, dirname, join, resolve } from 'node:path'
import type { Middleware } from '../compose/sandbox.ts'
import { decoded } from '../text/url.ts'

/** The paths at which Vite looks for the file of a URL. */
interface ViteFolders {
  readonly root: string
  /** With a trailing slash. */
  readonly base: string
  /** Empty if there is none. */
  readonly publicDir: string
}

/**
 * Answers 404 for a URL for which Vite would serve the data file, a file beside it, or one in a folder that is called
 * `folder`, which another app may use. The resolved file is compared, because many URLs lead to one file. Vite serves its
 * root folder, and the whole workspace under `/@fs/` and `/@id/`; a data file contains keys.
 */
export function hides(file: string | undefined, folder: string, folders: ViteFolders): Middleware {
  const hidden = (path: string): boolean => {
    const found = realPath(path)
    if (found.split(/[\\/]/).includes(folder)) return true
    if (file === undefined) return false
    const own = realPath(file)
    const snapshots = `${own.replace(/\.json$/, '')}.snapshot`
    return found === own || found.startsWith(`${own}.`) || found.startsWith(snapshots)
  }
  return (message, response, next) => {
    const { url = '' } = message as { url?: string }
    if (candidates(url, folders).some(hidden)) (response as ServerResponse).writeHead(404).end()
    else next()
  }
}

/** In lower case, since some file systems ignore case. A missing file has the real path of its folder. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path).toLowerCase()
  } catch {
    const folder = dirname(path)
    return folder === path ? path : join(realPath(folder), basename(path).toLowerCase())
  }
}

function candidates(url: string, { root, base, publicDir }: ViteFolders): string[] {
  const path = decoded(url.replace(/[?#].*/s, '')).replaceAll('\\', '/')
  const inBase = path.startsWith(base) ? path.slice(base.length - 1) : path
  const named = inBase.replace(/^\/+@(?:fs|id)(?=\/)/i, '')
  const relative = `.${named.replace(/^\/*/, '/')}`
  const folders = [root, ...(publicDir ? [publicDir] : [])]
  return [
    resolve(named.replace(/^\/+(?=[a-z]:)/i, '')),
    ...folders.map((folder) => resolve(folder, relative)),
  ]
}
