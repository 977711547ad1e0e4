/** A command of an operator, who needs no admission. Only commands that need no token are in the table. */
import { Refusal } from '../../../runtime/mod.ts'
import type { ErrorCode } from '../../error_catalogue.ts'
import { refuse } from '../../refuse.ts'
import type { CommandResult } from '../turn/command_result.ts'
import type { Command, Receiver } from '../turn/feature.ts'

type AnyCommand = { type: string }

/** The reply is the refusal, if the command throws one. */
export function receiveOperators<C extends AnyCommand>(
  commands: ReadonlyMap<string, Command<C>>,
): Receiver<{ command: C }, CommandResult> {
  return {
    reads(reads, { command }) {
      commands.get(command.type)?.reads?.(reads, command, '')
    },
    receive(turn, { command }, context) {
      const part = commands.get(command.type)
      if (!part) throw new Error(`operators have no command ${command.type}`)
      try {
        if (!turn.state.exists) throw refuse('PROJECT_NOT_FOUND')
        return part.run(turn, command, { ...context, token_id: '' })
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        return { error: { code: error.code as ErrorCode, message: error.text, details: error.details } }
      }
    },
  }
}
