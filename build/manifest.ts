import { readFileSync, renameSync, writeFileSync } from 'node:fs'

/** Members of package.json for this project only: npm warns everybody who installs a package with `prepare`. */
const INTERNAL = ['scripts', 'devDependencies', 'overrides', 'scarfSettings']

const manifest = new URL('../package.json', import.meta.url)
const backup = new URL('../package.json.bak', import.meta.url)

/** npm packs the package.json that exists after `prepack`; `postpack` restores the complete one. */
const steps: Record<string, () => void> = {
  strip() {
    const text = readFileSync(manifest, 'utf8')
    const published = Object.entries(JSON.parse(text)).filter(([name]) => !INTERNAL.includes(name))
    writeFileSync(backup, text)
    writeFileSync(manifest, `${JSON.stringify(Object.fromEntries(published), undefined, 2)}\n`)
  },
  restore: () => renameSync(backup, manifest),
}

steps[process.argv[2] ?? '']?.()
