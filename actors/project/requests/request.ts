/**
 * The message to a project actor for each API request. It carries the admission and, for a write, the command, so that
 * one turn decides both. A read is admitted here and then executed by the node that asked.
 */
import type { Origin } from '../../../storage/mod.ts'
import type { Admission } from '../turn/admission.ts'
import type { CommandResult } from '../turn/command_result.ts'
import type { Pool } from '../turn/rate_windows.ts'

export type RequestOf<Command extends { type: string }> = {
  type: 'request'
  /** Empty for an agent: an owner of a version without agents then finds no token, and does nothing. */
  token_id: string
  /** Instead of a token. */
  agent?: Agent | undefined
  /** The budget that the request draws on; `exempt` draws on none. */
  pool: Pool
  /** The budget in place of `pool`, which is `exempt` then: an owner of an earlier version does not know this budget. */
  draws?: Pool | undefined
  /** The scope the operation needs, if any. */
  scope?: string | undefined
  /** Missing for reads, and for invalid writes, which still count against the rate limit. */
  command?: Command | undefined
  idempotency?: Idempotency | undefined
  /** The caller and the operation, on routes that are `audited`. */
  origin?: Origin | undefined
  /**
   * Asks only whether a following request would be admitted to this pool. The request's own pool is `exempt`, so that
   * an owner of an earlier version, which does not know `looks`, draws on no budget either.
   */
  looks?: Pool | undefined
}

/**
 * A person at the console, whose session the asking node has just found. The turn looks it up again, so nothing is done
 * for a session that ended meanwhile.
 */
export type Agent = {
  user_id: string
  /** SHA-256 of the session's cookie, hex. */
  session: string
  /** The permission that the operation needs beside that of all agents. */
  permission?: string | undefined
}

/**
 * Both hashes cover the whole request (path, query and body), so one key never stands for two requests: `body_hash` the
 * bytes of the body, which is all that earlier releases compare, and `value_hash` its JSON value.
 */
export type Idempotency = { route: string; key: string; body_hash: string; value_hash?: string | undefined }

export type ProjectReply = {
  admission: Admission
  /** Present when the request was admitted and carried a command. */
  result?: CommandResult | Claimed | undefined
}

/**
 * Takes the idempotency key of an operation. `claim_id`: made by the node for this request, so that a repeated message
 * claims once.
 */
export type ClaimOperation = { type: 'claim_operation'; claim_id: string; claim_ms: number }

/** `in_doubt`: an earlier request under this key may have had an effect at the provider. */
export type Claimed = { claimed: { in_doubt: boolean } }
