import { randomBytes } from 'node:crypto'
import { copyFile, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { UsageError } from '../../config/usage-error.ts'
import { makeFolder } from '../../node/files/make-folder.ts'
import { packageFile } from '../../node/files/package.ts'
import { shellWord } from '../../text/shell.ts'
import { command } from '../command.ts'

/** A line of the configuration, and its replacement for a public sandbox. */
const PUBLIC = {
  cloudflare: ['wrangler.jsonc', '"vars": {}', '"vars": { "PETSTORE_SANDBOX_PUBLIC": "true" }'],
  cluster: ['config.capnp', 'fromEnvironment = "PETSTORE_SANDBOX_PUBLIC"', 'text = "true"'],
} as const

const NEXT = {
  cloudflare: 'npx wrangler deploy',
  cluster: 'npx workerd@latest serve --experimental config.capnp single',
} as const

export const deploy = command({
  takes: {
    '<where>': { summary: 'platform of the sandbox', choices: ['cloudflare', 'cluster'] },
    '[folder]': { summary: 'a new or empty folder', default: 'petstore' },
    '--public': 'anybody can create a world of their own, and sees no other',
  },
  notes: [
    '\nEach namespace becomes a Durable Object, so its state survives restarts; see\ndocs/beyond-one-machine.md.',
  ],
  examples: ['deploy cloudflare', 'deploy cloudflare --public', 'deploy cluster sandbox'],
  async run({ where, folder, public: isPublic }, io) {
    const into = resolve(io.cwd, folder)
    makeFolder(into)
    if ((await readdir(into)).length > 0)
      throw new UsageError(
        `The folder ${folder} is not empty, and nothing is overwritten`,
        'name another one',
      )
    await cp(packageFile(`deploy/${where}`), into, { recursive: true })
    if (isPublic) {
      const [file, given, wanted] = PUBLIC[where]
      const text = await readFile(join(into, file), 'utf8')
      await writeFile(join(into, file), text.replace(given, wanted))
    }
    await copyFile(packageFile('dist/worker.js'), join(into, 'worker.js'))
    await cp(packageFile('dist/inspector'), join(into, 'inspector'), { recursive: true })
    if (where === 'cluster') {
      await mkdir(join(into, 'worlds'))
      // With this key, every node can be controlled.
      await writeFile(join(into, 'cluster.key'), randomBytes(32).toString('hex'), { mode: 0o600 })
    }
    io.out(
      `Wrote ${folder}; its README.md explains the next steps. To start:\n  cd ${shellWord(folder)} && ${NEXT[where]}\n`,
    )
  },
})
