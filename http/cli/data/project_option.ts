import type { Command } from 'commander'
import { CommandFailure } from '../terminal/failure.ts'

/** For commands about one project. */
export function withProjectOption(command: Command): Command {
  return command.option('--project <id>', 'the project (default: the demo’s; required elsewhere)')
}

/** @throws {CommandFailure} when the project is neither given nor in a demo */
export function projectOf({ project }: { project?: string }, demo: { project_id: string } | undefined): string {
  const project_id = project ?? demo?.project_id
  if (project_id) return project_id
  throw new CommandFailure('--project is missing: the id of the project (parley projects list).', 2)
}
