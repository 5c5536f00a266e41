/**
 * Builds the site: npm run docs. In addition to docs/ it has a generated reference, a page for each example, and the
 * inspector, for a sandbox in the page itself. `npm run docs -- dev` serves it, and `--base /petstore-sandbox/` builds
 * it for a path other than `/`.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build as buildVite, mergeConfig } from 'vite'
import { build, createServer } from 'vitepress'
import inspector from './inspector.config.ts'
import { referencePages } from './reference.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const docs = join(root, 'docs')

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    base: { type: 'string', default: '/' },
    out: { type: 'string', default: join(root, 'dist-site') },
  },
})

writePages('reference', await referencePages())
writePages('examples', examplePages())
await buildInspector(join(docs, 'public/try/_sandbox'))
if (positionals[0] === 'dev') {
  const server = await createServer(docs, { base: values.base })
  await server.listen()
  server.printUrls()
} else await build(docs, { base: values.base, outDir: values.out })

function writePages(folder: string, pages: Readonly<Record<string, string>>): void {
  rmSync(join(docs, folder), { recursive: true, force: true })
  mkdirSync(join(docs, folder))
  for (const [name, text] of Object.entries(pages)) writeFileSync(join(docs, folder, `${name}.md`), text)
}

/** Each example as a page: its README, then its files. */
function examplePages(): Record<string, string> {
  const folder = join(root, 'examples')
  return Object.fromEntries(
    readdirSync(folder).map((name) => {
      const readme = readFileSync(join(folder, name, 'README.md'), 'utf8').replaceAll(
        '](../../docs/',
        '](../',
      )
      const files = readdirSync(join(folder, name), { recursive: true, withFileTypes: true })
        .filter((each) => each.isFile() && each.name !== 'README.md')
        .map((each) => relative(join(folder, name), join(each.parentPath, each.name)))
        .filter((file) => !/node_modules|\.(ico|png|webp)$/.test(file))
        .toSorted()
      const shown = files.map((file) => {
        const text = readFileSync(join(folder, name, file), 'utf8').trimEnd()
        const language = /\.(\w+)$/.exec(file)?.[1] ?? 'text'
        return `## ${file}\n\n\`\`\`\`${language}\n${text}\n\`\`\`\`\n`
      })
      return [name, `${readme}\n${shown.join('\n')}`]
    }),
  )
}

/** Builds the inspector for a frame. The page around it answers its requests. */
async function buildInspector(outDir: string): Promise<void> {
  // The inspector takes the address of the control API from its own, without the part before it, which is the site.
  const frameScript = `history.replaceState(null, '', './' + location.hash)
const site = location.pathname.replace(/\\/_sandbox\\/$/, '')
window.fetch = (input, init) => parent.petstoreSandbox.fetch(new Request(input, init), site)`
  const { plugins, ...config } = inspector
  const own = {
    configFile: false as const,
    base: './',
    build: { outDir },
    plugins: [{ name: 'ask-the-page', transformIndexHtml: () => [{ tag: 'script', children: frameScript }] }],
  }
  await buildVite(mergeConfig(config, own))
}
