import type { CommandWords, Values } from './words.ts'

/** A script for bash 3.2 and later. */
export function bashScript(all: CommandWords[]): string {
  const steps = all.flatMap(({ path, commands }) => commands.map(({ name }) => quoted(`${path} ${name}`.trim())))
  const words = all.map(({ path, commands, options, values }) => {
    const names = [...commands.map(({ name }) => name), ...options.flatMap(({ names }) => names)]
    const known = values.kind === 'choices' ? [...values.choices, ...names] : names
    const files = values.kind === 'files' ? ' files=1' : ''
    const list = values.kind === 'listed' ? ` list=${quoted(values.list)}` : ''
    return `    ${quoted(path)}) words=${quoted(known.join(' '))}${files}${list} ;;`
  })
  const values = all.flatMap(({ path, options }) =>
    options.flatMap(({ names, values }) => {
      const filled = fillOf(values)
      return filled === undefined ? [] : names.map((name) => `    ${quoted(`${path} ${name}`.trim())}) ${filled} ;;`)
    }),
  )
  return `# bash completion for parley
_parley_files() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY+=($(compgen -f -- "$current"))
}
_parley_ids() {
  COMPREPLY+=($(compgen -W "$("\${COMP_WORDS[0]}" complete "$1" 2>/dev/null | cut -f1)" -- "$current"))
}
_parley() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local path='' words='' files='' list='' step i
  COMPREPLY=()
  # bash splits --option=value at the sign.
  if [[ $current = '=' ]]; then current=''
  elif [[ $previous = '=' && $COMP_CWORD -gt 1 ]]; then previous="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
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
  if [[ -n $files ]]; then _parley_files; fi
  if [[ -n $list && $current != -* ]]; then _parley_ids "$list"; fi
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
      return '_parley_files; return'
    case 'listed':
      return `_parley_ids ${quoted(values.list)}; return`
    case 'choices':
      return `COMPREPLY=($(compgen -W ${quoted(values.choices.join(' '))} -- "$current")); return`
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
