/** A command of an operator, who needs no admission. Only commands that need no token are in the table. */
import { Refusal, Unavailable } from '../../../runtime/mod.ts'
import type { Origin } from '../../../storage/mod.ts'
import type { ErrorCode } from '../../error_catalogue.ts'
import { refuse } from '../../refuse.ts'
import { withAudit } from '../turn/audit.ts'
import { type CommandResult, recordOf, unavailable, unknownCommand } from '../turn/command_result.ts'
import type { Command, Receiver } from '../turn/feature.ts'

type AnyCommand = { type: string }

/** The reply is the refusal, if the command throws one. */
export function receiveOperators<C extends AnyCommand>(
  commands: ReadonlyMap<string, Command<C>>,
): Receiver<{ command: C; origin?: Origin | undefined }, CommandResult> {
  return {
    reads(reads, { command }) {
      commands.get(command.type)?.reads?.(reads, command, '')
    },
    receive(turn, { command, origin }, context) {
      const part = commands.get(command.type)
      if (!part) return unknownCommand(command)
      try {
        if (!turn.state.exists) throw refuse('PROJECT_NOT_FOUND')
        const where = { turn, origin, database: context.database }
        const run = () => part.run(turn, command, { ...context, token_id: '', user_id: '' })
        return withAudit(where, part.audit, command, run, recordOf)
      } catch (error) {
        if (error instanceof Unavailable) return unavailable(error)
        if (!(error instanceof Refusal)) throw error
        return { error: { code: error.code as ErrorCode, message: error.text, details: error.details } }
      }
    },
  }
}
