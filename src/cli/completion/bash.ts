import type { Choice, CompletedCommand } from './model.ts'

/** For bash 3.2 and newer; macOS has 3.2. */
export function bashScript(commands: readonly CompletedCommand[]): string {
  const paths = commands.map(({ path }) => path).filter(Boolean)
  return `# bash completion for petstore-sandbox
_petstore_sandbox() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at='' words='' files='' word
  # "=" is a word of its own here: --log=json is three.
  if [[ $cur == = ]]; then cur=''; elif [[ $prev == = ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at/$word" in
      ${paths.join('|')}) at="$at/$word" ;;
    esac
  done
  case "$at $prev" in
${commands.flatMap(valueCases).join('\n')}
    *)
      case "$at" in
${commands.map(wordCase).join('\n')}
      esac ;;
  esac
  COMPREPLY=()
  while IFS= read -r word; do
    COMPREPLY+=("$word")
    if [[ $word == *= ]]; then compopt -o nospace 2>/dev/null; fi
  done < <(compgen -W "$words" -- "$cur")
  if [[ $files ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$cur")
  fi
}
complete -F _petstore_sandbox petstore-sandbox
`
}

const valueCases = ({ path, options }: CompletedCommand): string[] =>
  options.flatMap(({ flags, value }) =>
    value ? [`    ${flags.map((flag) => `'${path} ${flag}'`).join('|')}) ${choiceOf(value)} ;;`] : [],
  )

function wordCase({ path, commands, options, arguments: positional }: CompletedCommand): string {
  const names = [...commands.map(({ name }) => name), ...positional.words]
  const flags = options.flatMap((option) => option.flags.slice(0, 1))
  return `        '${path}') ${choiceOf({ words: [...names, ...flags], files: positional.files })} ;;`
}

const choiceOf = ({ words, files }: Choice): string =>
  `words='${words.join(' ')}'${files ? ' files=yes' : ''}`
