import type { Choice, CompletedCommand } from './model.ts'

/** The script can be a file of $fpath, or sourced. */
export function zshScript(commands: readonly CompletedCommand[]): string {
  const paths = commands.map(({ path }) => path).filter(Boolean)
  return `#compdef petstore-sandbox
_petstore-sandbox() {
  local at='' prev=\${words[CURRENT-1]} files='' word
  local -a found
  if [[ \${words[CURRENT]} == --*=* ]]; then
    prev=\${words[CURRENT]%%=*}
    compset -P 1 '*='
  fi
  for word in \${words[2,CURRENT-1]}; do
    case "$at/$word" in
      (${paths.join('|')}) at="$at/$word" ;;
    esac
  done
  case "$at $prev" in
${commands.flatMap(valueCases).join('\n')}
    (*)
      case "$at" in
${commands.map(wordCase).join('\n')}
      esac ;;
  esac
  if [[ \${found[1]} == *= ]]; then
    compadd -S '' -a found
  elif (( $#found )); then
    _describe -t values petstore-sandbox found
  fi
  [[ -z $files ]] || _files
}
if [[ \${funcstack[1]} == _petstore-sandbox ]]; then
  _petstore-sandbox "$@"
else
  compdef _petstore-sandbox petstore-sandbox
fi
`
}

const valueCases = ({ path, options }: CompletedCommand): string[] =>
  options.flatMap(({ flags, value }) =>
    value ? [`    (${flags.map((flag) => `'${path} ${flag}'`).join('|')}) ${choiceOf(value)} ;;`] : [],
  )

function wordCase({ path, commands, options, arguments: positional }: CompletedCommand): string {
  const words = [
    ...commands.map(({ name, summary }) => described(name, summary)),
    ...positional.words,
    ...options.flatMap(({ flags, summary }) => flags.slice(0, 1).map((flag) => described(flag, summary))),
  ]
  return `        ('${path}') ${choiceOf({ words, files: positional.files })} ;;`
}

const choiceOf = ({ words, files }: Choice): string =>
  `found=(${words.map(quoted).join(' ')})${files ? ' files=yes' : ''}`

const described = (word: string, summary: string): string => `${word}:${summary}`

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`
