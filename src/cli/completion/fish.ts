import type { Choice, CompletedCommand, CompletedOption } from './model.ts'

export function fishScript(commands: readonly CompletedCommand[]): string {
  const paths = commands.map(({ path }) => path).filter(Boolean)
  return `# fish completion for petstore-sandbox
function __petstore_sandbox_at --description 'Whether this command is being completed'
    set -l at ''
    for word in (commandline -opc)[2..-1]
        if contains -- "$at/$word" ${paths.join(' ')}
            set at "$at/$word"
        end
    end
    test "$at" = "$argv[1]"
end
complete -c petstore-sandbox -f
${commands.flatMap(linesOf).join('\n')}
`
}

function linesOf({ path, commands, options, arguments: positional }: CompletedCommand): string[] {
  const line = (rest: string): string =>
    `complete -c petstore-sandbox -n '__petstore_sandbox_at "${path}"' ${rest}`
  return [
    ...commands.map(({ name, summary }) => line(`-a ${name} -d ${quoted(summary)}`)),
    ...(positional.words.length > 0 || positional.files ? [line(choiceOf(positional))] : []),
    ...options.map((option) => line(optionOf(option))),
  ]
}

const optionOf = ({ flags, summary, value }: CompletedOption): string =>
  [
    ...flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`)),
    ...(value ? ['-r', choiceOf(value)] : []),
    `-d ${quoted(summary)}`,
  ].join(' ')

const choiceOf = ({ words, files }: Choice): string =>
  [files ? '-F' : '-f', ...(words.length > 0 ? [`-a '${words.join(' ')}'`] : [])].join(' ')

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
