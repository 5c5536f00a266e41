import type { Command, Option } from 'commander'
import { DECISION_NAMES } from '../../contract/decisions/decisions.ts'
import { FIXTURE_NAMES } from '../../node/files/load.ts'
import { quoted } from '../../text/shell.ts'
import { PLAN_NAMES } from '../../world/plan.ts'
import { GATE_NAMES } from '../../world/traffic/gates.ts'
import { command } from '../command.ts'
import { REPORT_FORMS } from '../report-files.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const

/** Completing does not start the program: the script contains a table of all words, and a look-up function. */
export const completion = command({
  takes: { '<shell>': { summary: 'the shell', choices: SHELLS } },
  examples: [
    'completion bash >> ~/.bashrc',
    'completion zsh > ~/.zsh/completions/_petstore-sandbox   # a folder of $fpath',
    'completion fish > ~/.config/fish/completions/petstore-sandbox.fish',
  ],
  run: ({ shell }, io, { parent }) => io.out(SCRIPTS[shell](`\n${rowsOf(parent as Command).join('\n')}\n`)),
})

/** Stands for any file. */
const FILE = '<file>'

/** Examples for options and arguments, which do not limit the allowed values. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  fixture: [...FIXTURE_NAMES, FILE],
  file: [FILE],
  a: [FILE],
  b: [FILE],
  '--set': DECISION_NAMES.map((name) => `${name}=`),
  '--limits': PLAN_NAMES.map((name) => `${name}=`),
  '--fixture': FIXTURE_NAMES,
  '--fail-on': GATE_NAMES,
  '--report': REPORT_FORMS.map((form) => `${form}=`),
}

/**
 * A row for the words of each position: `/keys/create --plan|free|summary` after the option --plan of keys create,
 * `/keys/create |--plan|summary` where no value is expected. An option with a value always has a row. The options of a
 * default command can also follow directly.
 */
function rowsOf({ commands, options: own, registeredArguments }: Command, path = ''): string[] {
  const options = [...own, ...(commands[0]?.options ?? [])].filter(({ hidden }) => !hidden)
  const row = (word: string, summary = '', after = '') => `${path} ${after}|${word}|${summary}`
  return [
    ...commands.map((part) => row(part.name(), part.description())),
    ...registeredArguments
      .flatMap((argument) => argument.argChoices ?? WORDS[argument.name()] ?? [])
      .map((word) => row(word)),
    // The words of another command.
    ...(registeredArguments.some((each) => each.name() === 'command') ? [`${path}/-- |${FILE}|`] : []),
    ...options.map(({ long, short, description }) => row(long ?? short ?? '', description)),
    row('--help', 'print help'),
    ...options
      .filter((option) => !option.isBoolean())
      .flatMap(({ long, short, ...option }) =>
        [long, short].flatMap((flag) =>
          flag ? valuesOf(option, long).map((word) => row(word, '', flag)) : [],
        ),
      ),
    ...commands.flatMap((part) => rowsOf(part, `${path}/${part.name()}`)),
  ]
}

function valuesOf({ flags, argChoices }: Pick<Option, 'flags' | 'argChoices'>, long = ''): readonly string[] {
  const words = argChoices ?? WORDS[long] ?? []
  return /[<|]file>/.test(flags) ? [...words, FILE] : words.length > 0 ? words : ['']
}

const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], (table: string) => string>> = {
  /** For bash 3.2 and newer, because macOS has 3.2. */
  bash: (table) => `# bash completion for petstore-sandbox
_petstore_sandbox_table=${quoted(table)}
_petstore_sandbox() {
  local table=$_petstore_sandbox_table cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
  local at='' pair='' place where word summary
  COMPREPLY=()
  # "=" is a word of its own here: --log=json is three.
  if [[ $cur == = ]]; then pair=yes cur=''; elif [[ $prev == = ]]; then pair=yes prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  # No row has the values of a pair, such as --set list.limit=clamp.
  if [[ -n $pair && $prev != -* ]]; then return; fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ $table == *$'\\n'"$at/$word |"* ]]; then at="$at/$word"; fi
  done
  place="$at $prev"
  if [[ $table != *$'\\n'"$place|"* ]]; then place="$at "; fi
  while IFS='|' read -r where word summary; do
    if [[ $where != "$place" || -z $word ]]; then continue; fi
    if [[ $word == '${FILE}' ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$cur")
    elif [[ $word == "$cur"* ]]; then
      COMPREPLY+=("$word")
      if [[ $word == *= ]]; then compopt -o nospace 2>/dev/null; fi
    fi
  done <<< "$table"
}
complete -F _petstore_sandbox petstore-sandbox
`,
  /** For a folder of $fpath, or to be sourced. */
  zsh: (table) => `#compdef petstore-sandbox
_petstore_sandbox_table=${quoted(table)}
_petstore-sandbox() {
  local table=$_petstore_sandbox_table prev=\${words[CURRENT-1]} at='' files='' place where word summary
  local -a found
  if [[ \${words[CURRENT]} == --*=* ]]; then
    prev=\${words[CURRENT]%%=*}
    compset -P 1 '*='
  fi
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ $table == *$'\\n'"$at/$word |"* ]]; then at="$at/$word"; fi
  done
  place="$at $prev"
  if [[ $table != *$'\\n'"$place|"* ]]; then place="$at "; fi
  while IFS='|' read -r where word summary; do
    if [[ $where != "$place" || -z $word ]]; then continue; fi
    if [[ $word == '${FILE}' ]]; then files=yes; else found+=("$word\${summary:+:$summary}"); fi
  done <<< "$table"
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
`,
  fish: (table) => `# fish completion for petstore-sandbox
set -g __petstore_sandbox_table (string split \\n -- '${table.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}')
function __petstore_sandbox
    set -l at ''
    set -l words (commandline -opc)
    for word in $words[2..-1]
        if string match -rq -- '^'(string escape --style=regex -- "$at/$word ")'\\|' $__petstore_sandbox_table
            set at "$at/$word"
        end
    end
    set -l cur (commandline -ct)
    set -l prev $words[-1]
    set -l before ''
    if string match -q -- '--*=*' $cur
        set prev (string split -m 1 -f 1 = -- $cur)
        set before "$prev="
    end
    set -l place '^'(string escape --style=regex -- "$at $prev")'\\|'
    if not string match -rq -- $place $__petstore_sandbox_table
        set place '^'(string escape --style=regex -- "$at ")'\\|'
    end
    if string match -rq -- $place'${FILE}' $__petstore_sandbox_table
        __fish_complete_path $cur
    end
    string replace -rf -- $place'([^|<]+)\\|(.*)' $before'$1'\\t'$2' $__petstore_sandbox_table
end
complete -c petstore-sandbox -f -a '(__petstore_sandbox)'
`,
}
