import type { Plugin } from 'rolldown'

/** The chunks that a start loads before it answers. */
const OF_START = ['cli', 'start', 'rolldown-runtime']

/**
 * Takes Node's own modules without `import`, which costs a start 4 % of its time: each imported one becomes an ES module
 * of which every export is read, also streams of the process that nothing uses.
 */
export const builtins: Plugin = {
  name: 'builtins',
  renderChunk(code, { name }) {
    if (!OF_START.includes(name)) return null
    return { code: code.replace(/^import (.+) from "(node:[^"]+)";$/gm, (_, names, id) => taken(names, id)) }
  },
}

/** `names` as `import` has them: `fs, { rm as remove }` or `* as fs`. */
function taken(names: string, id: string): string {
  const [, whole, some] = /^(?:\* as )?([\w$]+)?(?:, )?(\{.+\})?$/.exec(names) ?? []
  const targets = [whole, some?.replaceAll(' as ', ': ')].filter((target) => target !== undefined)
  if (targets.length === 0) throw new Error(`import ${names} from "${id}" cannot be converted`)
  return targets.map((target) => `const ${target} = process.getBuiltinModule("${id}");`).join('\n')
}
