import type { Plugin } from 'rolldown'

/** The chunks that a start loads before the first answer. */
const OF_START = ['cli', 'start', 'rolldown-runtime']

/**
 * Gets Node's own modules without `import`, which takes 4 % of a start: an imported module becomes an ES module whose
 * exports are all read, even streams of the process that nothing uses.
 */
export const builtins: Plugin = {
  name: 'builtins',
  renderChunk(code, { name }) {
    if (!OF_START.includes(name)) return null
    return { code: code.replace(/^import (.+) from "(node:[^"]+)";$/gm, (_, names, id) => taken(names, id)) }
  },
}

/** The destructuring for an import clause: `fs, { rm as remove }` or `* as fs`. */
function taken(names: string, id: string): string {
  const [, whole, some] = /^(?:\* as )?([\w$]+)?(?:, )?(\{.+\})?$/.exec(names) ?? []
  const targets = [whole, some?.replaceAll(' as ', ': ')].filter((target) => target !== undefined)
  if (targets.length === 0) throw new Error(`import ${names} from "${id}" cannot be converted`)
  return targets.map((target) => `const ${target} = process.getBuiltinModule("${id}");`).join('\n')
}
