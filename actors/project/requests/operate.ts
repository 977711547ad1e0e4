/** A command of an operator, who needs no admission. Only commands that need no token are in the table. */
import { Refusal, Unavailable } from '../../../runtime/mod.ts'
import type { Origin } from '../../../storage/mod.ts'
import type { ErrorCode } from '../../error_catalogue.ts'
import { withAudit } from '../turn/audit.ts'
import { type CommandResult, recordOf, unavailable, unknownCommand } from '../turn/command_result.ts'
import type { Command, Receiver } from '../turn/feature.ts'
import { wantAnswer } from './answers.ts'
import type { Idempotency } from './request.ts'
import { runOnce } from './run_once.ts'

type AnyCommand = { type: string }

/** `idempotency`: the key of the request that caused the command, for a repetition after its answer was lost. */
type Operating<C> = { command: C; origin?: Origin | undefined; idempotency?: Idempotency | undefined }

/** The reply is the refusal, if the command throws one. */
export function receiveOperators<C extends AnyCommand>(
  commands: ReadonlyMap<string, Command<C>>,
): Receiver<Operating<C>, CommandResult> {
  return {
    reads(reads, { command, idempotency }) {
      if (idempotency) wantAnswer(reads, idempotency)
      commands.get(command.type)?.reads?.(reads, command, '')
    },
    receive(turn, { command, origin, idempotency }, context) {
      const part = commands.get(command.type)
      if (!part) return unknownCommand(command)
      if (!turn.state.exists) return { error: { code: 'PROJECT_NOT_FOUND' } }
      const { database } = context
      const attempt = (): CommandResult => {
        try {
          const run = () => part.run(turn, command, { ...context, token_id: '', user_id: '' })
          return withAudit({ turn, origin, database }, part.audit, command, run, recordOf)
        } catch (error) {
          if (error instanceof Unavailable) return unavailable(error)
          if (!(error instanceof Refusal)) throw error
          return { error: { code: error.code as ErrorCode, message: error.text, details: error.details } }
        }
      }
      return idempotency ? runOnce(turn, idempotency, part.answers_secret === true, database, attempt) : attempt()
    },
  }
}
