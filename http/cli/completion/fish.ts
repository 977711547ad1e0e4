import type { CommandWords, OptionWords, Values } from './words.ts'

/** A script for fish 3 and later. */
export function fishScript(all: CommandWords[]): string {
  const steps = all.flatMap(({ path, commands }) => commands.map(({ name }) => quoted(`${path} ${name}`.trim())))
  const lines = all.flatMap(({ path, commands, options, values }) => {
    const at = `complete -c parley -n ${quoted(`__parley_at ${quoted(path)}`)}`
    return [
      ...commands.map(({ name, description }) => `${at} -a ${name} -d ${quoted(description)}`),
      ...options.map((option) => `${at} ${optionOf(option)}`),
      ...argumentOf(values).map((fill) => `${at} ${fill}`),
    ]
  })
  return `# fish completion for parley
function __parley_at --description 'The words lead to this command'
    set -l at ''
    for word in (commandline -opc)[2..-1]
        set -l step (string trim -- "$at $word")
        switch "$step"
            case ${steps.join(' \\\n                ')}
                set at "$step"
        end
    end
    test "$at" = "$argv"
end
complete -c parley -f
${lines.join('\n')}
`
}

function optionOf({ names, description, values }: OptionWords): string {
  const flags = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`))
  return [...flags, `-d ${quoted(description)}`, ...fillOf(values)].join(' ')
}

function fillOf(values: Values): string[] {
  switch (values.kind) {
    case 'none':
      return []
    case 'free':
      return ['-x']
    case 'files':
      return ['-r', '-F']
    case 'listed':
      return ['-x', `-a ${idsOf(values.list)}`]
    case 'choices':
      return ['-x', `-a ${quoted(values.choices.join(' '))}`]
  }
}

function idsOf(list: string): string {
  return quoted(`(parley complete ${quoted(list)} 2>/dev/null)`)
}

function argumentOf(values: Values): string[] {
  if (values.kind === 'files') return ['-F']
  if (values.kind === 'listed') return [`-a ${idsOf(values.list)}`]
  return values.kind === 'choices' ? [`-a ${quoted(values.choices.join(' '))}`] : []
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
