/**
 * The parts of a feature: commands, changes, items of webhooks, receivers of messages, refreshes. Each part is a value of
 * one of these types in a file of its own, and is named in the tables of its feature (`feature.ts` of the folder).
 *
 * `reads` says what the part wants from the database, before the turn. The other function decides with it, synchronously.
 */
import type { Database } from '../../../storage/mod.ts'
import type { Foreground } from '../../foreground.ts'
import type { Inbound, Providers } from '../../providers/mod.ts'
import type { CommandResult } from './command_result.ts'
import type { Reads } from './reads.ts'
import type { Said } from './said.ts'
import type { ProjectState } from './state.ts'
import type { ProjectTurn } from './turn.ts'

/** The surroundings of a turn. */
export type ProjectContext = {
  database: Database
  providers: Providers
  /** Told of what somebody waits for. */
  foreground: Foreground
}

/** `token_id`: of the client that asks. */
export type CommandContext = Pick<ProjectContext, 'database' | 'providers'> & { token_id: string }

/** An API request that changes something. */
export type Command<C extends { type: string }> = {
  reads?(reads: Reads, command: C, token_id: string): void
  /** Throws `Refusal` before it has changed anything. */
  run(turn: ProjectTurn, command: C, context: CommandContext): CommandResult
  /** The answer from memory, without a turn; undefined when it takes one. */
  peek?(state: ProjectState, token_id: string): CommandResult | undefined
  /** The answer holds a secret that is shown only once; kept for replays, it is kept sealed. */
  answers_secret?: true
}

/** The effect of an operation that was done at the provider. */
export type Change<C extends { type: string }> = {
  reads(reads: Reads, change: C): void
  /** Returns the record that was changed, where the answer may be it. Applying a change again changes nothing. */
  apply(turn: ProjectTurn, change: C): object | undefined
}

/** One thing that a provider's webhook says. */
export type InboundItem<K extends Inbound['kind']> = {
  reads?(reads: Reads, said: Said<K>): void
  receive(turn: ProjectTurn, said: Said<K>, context: ProjectContext): void
}

/** A message of another actor, of the operator API or of this actor to itself. */
export type Receiver<M extends object, Reply = void> = {
  /** Says what the turn will forget. All messages of a turn say so before any says what it reads. */
  forgets?(reads: Reads, message: M): void
  reads?(reads: Reads, message: M, context: ProjectContext): void
  receive(turn: ProjectTurn, message: M, context: ProjectContext): Reply
}

/** The answer of a feature to the operator's change of a record that is kept in memory. */
export type Refresh = {
  forgets?(reads: Reads): void
  reads?(reads: Reads, id: string): void
  refresh(turn: ProjectTurn, id: string, context: ProjectContext): void
}

/**
 * The tables of a feature. The key of a part is the `type` of its message, the `kind` of its item, or of a refresh the kind of
 * records that were changed; several features may refresh what they have of one kind.
 */
export type Feature = {
  commands?: Record<string, Command<{ type: string }>>
  changes?: Record<string, Change<{ type: string }>>
  inbound?: { [K in Inbound['kind']]?: InboundItem<K> }
  receivers?: Record<string, Receiver<object, unknown>>
  refreshes?: Record<string, Refresh>
}
