import { wrong } from '../result.ts'
import type { CommandEnd, ToolResult } from '../tool.ts'

export const NOTHING_CHANGES = 'This is a trial, in which nothing is changed. Answer as if it had been done.'

/** The result of a command of the project. */
export function endOf(end: CommandEnd, done: (body: unknown) => ToolResult): ToolResult {
  return 'refused' in end ? wrong(end.refused.code.toLowerCase(), end.refused.message) : done(end.body)
}
