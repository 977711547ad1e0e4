/**
 * Waits for the servers of a node, and reports that. After a power cut all start in any order, and a node that exited
 * each time would only be started again.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { VaultError } from '../../storage/mod.ts'
import type { Log } from '../log.ts'
import { ServerError } from './server_error.ts'

/** Maximum wait in milliseconds. A wrong address should show within a deployment's own time limit. */
const PATIENCE_MS = 60_000
const AGAIN_MS = 250
const SAID_EVERY_MS = 5_000

/** The server is not listening (yet), or is still starting (PostgreSQL's 57P03). Refusals are not among these codes. */
const NOT_THERE = new Set([
  // None of the servers takes writes: a fail-over is under way.
  '25006',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  // A Unix socket of a server that is down.
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  '57P03',
])

/** The driver's errors for a PostgreSQL that takes a connection and stays silent; they have no code. */
const SILENT = /connection timeout$|^timeout expired$|^timeout exceeded when trying to connect$/

/**
 * `name`: the server and its setting, such as "the NATS of NATS_URL".
 *
 * @throws the reason of `given_up` as soon as it is aborted, also while the server is silent
 * @throws {ServerError} when the server is not there in time, or refuses
 */
export async function waitForServers<Result>(
  name: string,
  connect: () => Promise<Result>,
  log: Log,
  given_up?: AbortSignal,
): Promise<Result> {
  const end = Date.now() + PATIENCE_MS
  for (let said_at = 0; ; await unlessGivenUp(pause(AGAIN_MS), given_up)) {
    try {
      return await unlessGivenUp(connect(), given_up)
    } catch (error) {
      given_up?.throwIfAborted()
      const code = absenceOf(error)
      if (code === undefined) throw refusal(name, error)
      const waited_s = Math.round(PATIENCE_MS / 1000)
      if (Date.now() > end) throw new ServerError(`After ${waited_s} s ${name} still cannot be reached: ${code}.`)
      if (Date.now() - said_at < SAID_EVERY_MS) continue
      said_at = Date.now()
      log.warn({ error: code }, `${name} cannot be reached yet; waiting for it`)
    }
  }
}

async function unlessGivenUp<Result>(work: Promise<Result>, given_up: AbortSignal | undefined): Promise<Result> {
  if (given_up === undefined) return work
  const fields = Promise.withResolvers<never>()
  const give = () => fields.reject(given_up.reason)
  if (given_up.aborted) give()
  given_up.addEventListener('abort', give, { once: true })
  try {
    return await Promise.race([work, fields.promise])
  } finally {
    given_up.removeEventListener('abort', give)
  }
}

/** Turns a wrong password or a missing database into a sentence instead of the driver's stack. */
function refusal(name: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof VaultError) return error
  return new ServerError(`${name[0]!.toUpperCase()}${name.slice(1)} cannot be used: ${error.message}.`, error)
}

/** The code of an error, or of its cause, that means that the server is not there. */
function absenceOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code } = error as { code?: unknown }
  if (typeof code === 'string' && NOT_THERE.has(code)) return code
  if (SILENT.test(error.message)) return 'ETIMEDOUT'
  const causes = error instanceof AggregateError ? error.errors : [error.cause]
  for (const cause of causes) {
    const found = absenceOf(cause)
    if (found !== undefined) return found
  }
  return undefined
}
