/**
 * The parts of a feature: commands, changes, items of webhooks, receivers of messages, refreshes. Each part is a value
 * of one of these types in its own file, listed in the tables of its feature (`feature.ts` of the folder).
 *
 * `reads` adds the part's reads from the database, before the turn. The other function uses the result and decides,
 * synchronously.
 */
import type { Database, Origin, TurnOutcome } from '../../../storage/mod.ts'
import type { Foreground } from '../../foreground.ts'
import type { Importer } from '../../knowledge/import/mod.ts'
import type { Inbound, InboundIgnored, Providers } from '../../providers/mod.ts'
import type { MediaFetcher } from '../../received_files/mod.ts'
import type { Audited } from './audit.ts'
import type { CallItem } from './call_item.ts'
import type { CommandResult } from './command_result.ts'
import type { Reads } from './reads.ts'
import type { ProjectChannel, ProjectState } from './state.ts'
import type { ProjectTurn } from './turn.ts'

/** The context of a turn. */
export type ProjectContext = {
  database: Database
  providers: Providers
  /** Notified of writes of clients and of messages from people. */
  foreground: Foreground
  /** Called after the commit of a change to a document. */
  knowledge_changed: () => void
  /** Told of a part of a webhook call that was left out, after the commit. */
  ignored: (channel: ProjectChannel, item: InboundIgnored) => void
  /** Told of each turn of an assistant in a conversation that ended, after the commit. */
  assistantTurnEnded: (outcome: TurnOutcome) => void
  /** Undefined where no documents are imported. */
  importer: Pick<Importer, 'run'> | undefined
  /** Undefined where files of people stay at their providers. */
  media_fetcher: Pick<MediaFetcher, 'run'> | undefined
  /** True when a visitor of a web channel has a page open; undefined when that cannot be known now. */
  isVisitorHere: (visitor: { channel_id: string; user_id: string }) => Promise<boolean | undefined>
  token_mails: TokenMails
}

/** Mails about access tokens. */
export type TokenMails = {
  /** Mail addresses; `owner` is the user of the token. */
  to: readonly string[]
  /** Days before the expiry of a token at which a warning is due. */
  warning_days: readonly number[]
}

export type CommandContext = Pick<ProjectContext, 'database' | 'providers' | 'knowledge_changed'> & {
  /** The token of the client; empty for agents and operators. */
  token_id: string
  /** The owner of the token, or the agent. Empty for operators. */
  user_id: string
  /** One of many changes by a bulk action, which notifies of all together. */
  is_bulk?: true
}

/** The agent who asks; null for a token or an operator. */
export function agentOf({ token_id, user_id }: CommandContext): string | null {
  return token_id === '' && user_id !== '' ? user_id : null
}

/** An API request that changes something. */
export type Command<C extends { type: string }> = {
  reads?(reads: Reads, command: C, token_id: string): void
  /** Throws `Refusal` before any change. */
  run(turn: ProjectTurn, command: C, context: CommandContext): CommandResult
  /** The answer from memory, without a turn; undefined when a turn is needed. */
  peek?(state: ProjectState, token_id: string): CommandResult | undefined
  /** The answer has a secret that is shown only once, so a copy for replays is sealed. */
  answers_secret?: true
  /**
   * For changes that leave an audit entry: of all callers where the route is `audited`, as those of the configuration
   * are; else of agents alone.
   */
  audit?: Audited<C>
}

/** The effect of an operation at the provider. */
export type Change<C extends { type: string }> = {
  reads(reads: Reads, change: C): void
  /**
   * Returns the changed record, where the answer may be that record. Applying a change again changes nothing. The only
   * change of an operation may throw `Refusal` or `Unavailable` before it changes anything. `origin` is the caller, and
   * undefined where the request came through a node of a version without audit.
   */
  apply(turn: ProjectTurn, change: C, origin: Origin | undefined): object | undefined
  /** As that of a command. */
  audit?: Audited<C>
}

/** One item in a provider's webhook call. */
export type InboundItem<K extends Inbound['kind']> = {
  reads?(reads: Reads, said: CallItem<K>): void
  receive(turn: ProjectTurn, said: CallItem<K>, context: ProjectContext): void
}

/** A message from another actor, from the operator API or from this actor to itself. */
export type Receiver<M extends object, Reply = void> = {
  /** Marks data in memory as outdated. Runs for all messages of a turn before the first `reads`. */
  forgets?(reads: Reads, message: M): void
  reads?(reads: Reads, message: M, context: ProjectContext): void
  receive(turn: ProjectTurn, message: M, context: ProjectContext): Reply
  /** The message may come before the sender's turn is committed: `reads` needs none of the rows that it writes. */
  early?: true
}

/** A feature's reaction to an operator's change of a cached record. */
export type Refresh = {
  forgets?(reads: Reads): void
  reads?(reads: Reads, id: string): void
  refresh(turn: ProjectTurn, id: string, context: ProjectContext): void
}

/**
 * The tables of a feature. The key of a part is the `type` of its message, the `kind` of its item, or for a refresh the
 * kind of the changed records. Several features may refresh the same kind.
 */
export type Feature = {
  commands?: Record<string, Command<{ type: string }>>
  changes?: Record<string, Change<{ type: string }>>
  inbound?: { [K in Inbound['kind']]?: InboundItem<K> }
  receivers?: Record<string, Receiver<object, unknown>>
  refreshes?: Record<string, Refresh>
}
