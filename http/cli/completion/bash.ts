import type { CommandWords, Values } from './words.ts'

/** A script for bash 3.2 and later. */
export function bashScript(all: CommandWords[]): string {
  const steps = all.flatMap(({ path, commands }) => commands.map(({ name }) => quoted(`${path} ${name}`.trim())))
  const words = all.map(({ path, commands, options, values }) => {
    const names = [...commands.map(({ name }) => name), ...options.flatMap(({ names }) => names)]
    const known = values.kind === 'choices' ? [...values.choices, ...names] : names
    const files = values.kind === 'files' ? ' files=1' : ''
    return `    ${quoted(path)}) words=${quoted(known.join(' '))}${files} ;;`
  })
  const values = all.flatMap(({ path, options }) =>
    options.flatMap(({ names, values }) => {
      const filled = fillOf(values)
      return filled === undefined ? [] : names.map((name) => `    ${quoted(`${path} ${name}`.trim())}) ${filled} ;;`)
    }),
  )
  return `# bash completion for parley
_parley() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path='' words='' files='' step i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    step="\${path:+$path }\${COMP_WORDS[i]}"
    case "$step" in
    ${steps.join(' | \\\n    ')}) path="$step" ;;
    esac
  done
  case "\${path:+$path }$previous" in
${values.join('\n')}
  esac
  case "$path" in
${words.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ -n $files ]]; then COMPREPLY+=($(compgen -f -- "$current")); fi
}
complete -o bashdefault -F _parley parley
`
}

/** The commands that complete the value of an option; undefined where an option takes none. */
function fillOf(values: Values): string | undefined {
  switch (values.kind) {
    case 'none':
      return undefined
    case 'free':
      return 'return'
    case 'files':
      return 'COMPREPLY=($(compgen -f -- "$current")); return'
    case 'choices':
      return `COMPREPLY=($(compgen -W ${quoted(values.choices.join(' '))} -- "$current")); return`
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
