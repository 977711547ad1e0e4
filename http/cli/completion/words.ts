/** The words of the command line, as completion scripts need them. All of them come from the commands themselves. */
import type { Argument, Command, Option } from 'commander'
import { listOf } from './listed.ts'

/** The values after an option, or in the place of an argument. */
export type Values =
  | { kind: 'none' }
  | { kind: 'free' }
  | { kind: 'files' }
  | { kind: 'choices'; choices: string[] }
  /** Ids that `parley complete <list>` prints. */
  | { kind: 'listed'; list: string }

export type OptionWords = { names: string[]; description: string; values: Values }

export type CommandWords = {
  /** The names that lead to it, without that of the program: `loyalty programs list`. Empty for the program. */
  path: string
  commands: { name: string; description: string }[]
  options: OptionWords[]
  values: Values
}

/** The program and all commands below it, each before its own ones. */
export function wordsOf(command: Command, path: string[] = []): CommandWords[] {
  const { options, registeredArguments } = command
  const known = new Set(command.createHelp().visibleCommands(command))
  const commands = command.commands.filter((one) => known.has(one))
  const own: CommandWords = {
    path: path.join(' '),
    commands: commands.map((one) => ({ name: one.name(), description: one.summary() || one.description() })),
    options: options.map(optionWords),
    // The further ones, if any, are ids and texts as well.
    values: registeredArguments[0] ? valuesOf(registeredArguments[0]) : { kind: 'none' },
  }
  const help: OptionWords = { names: ['--help'], description: 'show what it takes', values: { kind: 'none' } }
  return [
    { ...own, options: [...own.options, help] },
    ...commands.flatMap((one) => wordsOf(one, [...path, one.name()])),
  ]
}

function optionWords(option: Option): OptionWords {
  const { long, short, description, required, optional } = option
  const names = [short, long].filter((name) => name !== undefined)
  return { names, description, values: required || optional ? valuesOf(option) : { kind: 'none' } }
}

function valuesOf(parameter: Option | Argument): Values {
  const { argChoices } = parameter
  if (argChoices) return { kind: 'choices', choices: [...argChoices] }
  const list = listOf(parameter)
  if (list) return { kind: 'listed', list }
  const placeholder = 'flags' in parameter ? parameter.flags : `<${parameter.name()}>`
  return { kind: /<(file|path|directory|source)s?(\.\.\.)?>/.test(placeholder) ? 'files' : 'free' }
}
