import type { Command } from 'commander'

const known = new WeakMap<Command, string[]>()

/** Shell lines that show a command at work; help and the manual print them. */
export function withExamples(command: Command, lines: string[]): Command {
  known.set(command, lines)
  return command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`)
}

export function examplesOf(command: Command): string[] {
  return known.get(command) ?? []
}
