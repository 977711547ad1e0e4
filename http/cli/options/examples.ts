import type { Command } from 'commander'

/** Matches `parley` as the command, not as part of a path, a user or a host. */
const OWN_NAME = /(?<![\w/:@.-])parley (?=[a-z])/g

const known = new WeakMap<Command, string[]>()

/** Shell lines with examples of a command; help and the manual print them as typed in the clone. */
export function withExamples(command: Command, lines: string[]): Command {
  const typed = lines.map((line) => line.replace(OWN_NAME, 'npx parley '))
  known.set(command, typed)
  return command.addHelpText('after', `\nExamples:\n${typed.map((line) => `  ${line}`).join('\n')}`)
}

export function examplesOf(command: Command): string[] {
  return known.get(command) ?? []
}
