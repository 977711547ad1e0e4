import type { Command, Option } from 'commander'
import { examplesOf } from './options/examples.ts'

/** The manual of all commands, docs/cli.md, generated from the commands themselves. */
export function commandReference(program: Command): string {
  return visible(program)
    .flatMap((command) => sections(command, [program.name()]))
    .join('\n')
}

/** Commands that help shows. Others are for programs. */
function visible(command: Command): Command[] {
  const visible = new Set(command.createHelp().visibleCommands(command))
  return command.commands.filter((one) => visible.has(one))
}

function sections(command: Command, parents: string[]): string[] {
  const path = [...parents, command.name()]
  const own = [`${'#'.repeat(path.length)} ${path.join(' ')}`, '', fold(command.description()), '']
  const explained = [
    ...command.registeredArguments.map((argument) => [`<${argument.name()}>`, argument.description]),
    ...command.options.map((option) => [option.flags, describe(option)]),
  ]
  if (explained.length > 0) {
    own.push('| | |', '|---|---|', ...explained.map(([flags, text]) => `| \`${cell(flags)}\` | ${cell(text)} |`), '')
  }
  // A group of commands may be a command itself.
  const examples = examplesOf(command)
  if (examples.length > 0) own.push('```sh', ...examples, '```', '')
  return [...own, ...visible(command).flatMap((child) => sections(child, path))]
}

function describe(option: Option): string {
  const { description, mandatory, envVar, argChoices, defaultValue, defaultValueDescription } = option
  const notes = [
    mandatory && 'required',
    argChoices && `one of ${argChoices.join(', ')}`,
    envVar && `or \`${envVar}\``,
    defaultValueDescription
      ? `default: ${defaultValueDescription}`
      : typeof defaultValue === 'string' && `default: \`${defaultValue}\``,
  ].filter(Boolean)
  return notes.length > 0 ? `${description}; ${notes.join('; ')}` : description
}

const cell = (text = '') => text.replaceAll('|', '\\|')

/** Lines of 120 characters, as in the rest of the documentation. */
function fold(text: string): string {
  return text.replace(/(.{1,120})(?:\s+|$)/g, '$1\n').trimEnd()
}
