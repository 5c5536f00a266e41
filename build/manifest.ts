import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'

/** Members of package.json for this project only: npm warns everybody who installs a package with `prepare`. */
const INTERNAL = ['scripts', 'devDependencies', 'overrides', 'scarfSettings']

const manifest = new URL('../package.json', import.meta.url)
const backup = new URL('../package.json.bak', import.meta.url)

/** Restores the complete package.json, unless somebody did already. A pack that was interrupted leaves its backup. */
function restore(): void {
  if (!existsSync(backup)) return
  if (JSON.parse(readFileSync(manifest, 'utf8')).scripts) rmSync(backup)
  else renameSync(backup, manifest)
}

/** npm packs the package.json that exists after `prepack`; `postpack` restores the complete one. */
const steps: Record<string, () => void> = {
  strip() {
    restore()
    // If npm cannot write the package, it runs no `postpack`.
    const folder = process.env.npm_config_pack_destination
    if (folder && !statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      throw new Error(`--pack-destination: ${folder} is not a folder; create it first`)
    const text = readFileSync(manifest, 'utf8')
    const published = Object.entries(JSON.parse(text)).filter(([name]) => !INTERNAL.includes(name))
    writeFileSync(backup, text)
    writeFileSync(manifest, `${JSON.stringify(Object.fromEntries(published), undefined, 2)}\n`)
  },
  restore,
}

steps[process.argv[2] ?? '']?.()
