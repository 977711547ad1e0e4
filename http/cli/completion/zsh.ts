import type { CommandWords, Values } from './words.ts'

/** A script for zsh, to be put into a directory of `fpath` as `_parley`. */
export function zshScript(all: CommandWords[]): string {
  const steps = all.flatMap(({ path, commands }) => commands.map(({ name }) => quoted(`${path} ${name}`.trim())))
  const values = all.flatMap(({ path, options }) =>
    options.flatMap(({ names, values }) => {
      const filled = fillOf(values)
      return filled === undefined
        ? []
        : names.map((name) => `    ${quoted(`${path} ${name}`.trim())}) ${filled}; return ;;`)
    }),
  )
  const words = all.map(({ path, commands, options, values }) => {
    const described = [
      ...commands.map(({ name, description }) => entry(name, description)),
      ...options.flatMap(({ names, description }) => names.map((name) => entry(name, description))),
    ]
    const fill = fillOf(values)
    const first = fill === undefined || values.kind === 'free' ? '' : `[[ \${words[CURRENT]} = -* ]] || ${fill}\n      `
    return `    ${quoted(path)})\n      ${first}described=(\n        ${described.join('\n        ')}\n      ) ;;`
  })
  return `#compdef parley
_parley_ids() {
  local -a ids
  ids=(\${(f)"$("\${words[1]}" complete "$1" 2>/dev/null)"})
  ids=(\${ids//:/\\\\:})
  ids=(\${ids/$'\\t'/:})
  _describe 'id' ids
}
_parley() {
  local part='' step i previous="\${words[CURRENT-1]}"
  local -a described
  if [[ \${words[CURRENT]} = --*=* ]]; then
    previous="\${words[CURRENT]%%=*}"
    compset -P '*='
  fi
  for ((i = 2; i < CURRENT; i++)); do
    step="\${part:+$part }\${words[i]}"
    case "$step" in
    ${steps.join(' | \\\n    ')}) part="$step" ;;
    esac
  done
  case "\${part:+$part }$previous" in
${values.join('\n')}
  esac
  case "$part" in
${words.join('\n')}
  esac
  _describe 'parley' described
}
if [[ $funcstack[1] = _parley ]]; then _parley "$@"; else compdef _parley parley; fi
`
}

function fillOf(values: Values): string | undefined {
  switch (values.kind) {
    case 'none':
      return undefined
    case 'free':
      return ':'
    case 'files':
      return '_files'
    case 'listed':
      return `_parley_ids ${quoted(values.list)}`
    case 'choices':
      return `compadd -- ${values.choices.map(quoted).join(' ')}`
  }
}

/** A word and its description, as `_describe` takes them. */
function entry(name: string, description: string): string {
  return quoted(`${name}:${description.replaceAll('\\', '\\\\').replaceAll(':', '\\:')}`)
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
