/** The messages of a project actor, derived from the tables of its features. */
import type { MessageOf } from '../../runtime/mod.ts'
import type { Origin } from '../../storage/mod.ts'
import type { ChangeTable, CommandTable, OperatorTable, ReceiverTable, RefreshTable } from './features.ts'
import type { ConclusionOf } from './requests/operations.ts'
import type { ClaimOperation, Idempotency, ProjectReply, RequestOf } from './requests/request.ts'
import type { CommandResult } from './turn/command_result.ts'
import type { Change, Receiver } from './turn/feature.ts'

type CommandOf<Table> = {
  [T in keyof Table]: Table[T] extends { run(turn: never, command: infer C, context: never): unknown }
    ? Extract<C, { type: T }>
    : never
}[keyof Table]
type ChangeOf<Table> = {
  [T in keyof Table]: Table[T] extends Change<infer C> ? Extract<C, { type: T }> : never
}[keyof Table]
/** A text is one of any type: tests compare it with the description. */
type BodyOf<Result> = Result extends { error: unknown } | { json: string }
  ? never
  : Result extends { body: infer Body }
    ? Body
    : undefined
/** The bodies with which the commands of these types answer. */
type AnswerOf<Table, Type> = Type extends keyof Table
  ? Table[Type] extends { run(...args: never[]): infer Result }
    ? BodyOf<Result>
    : never
  : never
type ProtocolOf<Table> = {
  [T in keyof Table]: Table[T] extends Receiver<infer M, infer Reply> ? { message: M; reply: Reply } : never
}

export type ProjectCommand = CommandOf<CommandTable> | ClaimOperation
/** A command that operators may send. */
export type OperatorCommand = CommandOf<OperatorTable>
/** The commands of requests that answer with a body of this type. */
export type CommandAnswering<Body> =
  | {
      [T in keyof CommandTable]: AnswerOf<CommandTable, T> extends Body ? Extract<ProjectCommand, { type: T }> : never
    }[keyof CommandTable]
  | ClaimOperation
/** The body with which an operator's command answers. */
export type OperatorAnswer<C extends OperatorCommand> = AnswerOf<OperatorTable, C['type']>
export type ProjectRequest = RequestOf<ProjectCommand>
export type Conclusion = ConclusionOf<ChangeOf<ChangeTable>>

/** The messages that the API sends. */
export type RequestProtocol = {
  /** An API request: admission, and the command when it is a write. */
  request: { message: Omit<ProjectRequest, 'type'>; reply: ProjectReply }
  /** From the operator API, without admission. */
  operate: {
    message: { command: OperatorCommand; origin?: Origin | undefined; idempotency?: Idempotency | undefined }
    reply: CommandResult
  }
  /** From the node that did an operation at the provider: its result. */
  conclude: { message: Conclusion; reply: CommandResult }
}

type KeyOf<Table> = Table extends unknown ? keyof Table : never

/**
 * The kinds of records that the operator API refreshes. `crm`: the definitions of the CRM, including those of the
 * company.
 */
export type Refreshed = KeyOf<RefreshTable>

export type ProjectProtocol = RequestProtocol &
  ProtocolOf<Omit<ReceiverTable, 'refresh'>> & { refresh: { message: { what: Refreshed; id: string }; reply: void } }

export type ProjectMessage = MessageOf<ProjectProtocol>
