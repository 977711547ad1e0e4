import type { Log, Runtime } from '../../../runtime/mod.ts'
import { type Database, type ExpiringToken, listExpiringTokens, newDate } from '../../../storage/mod.ts'

const EVERY_MS = 600_000
const PAGE = 500
const REPEATABLE = { repeatable: true }

export type TokenWarningOptions = {
  database: Database
  runtime: Runtime
  log: Log
  /** Days before the expiry at which warnings are due. */
  warning_days: readonly number[]
  every_ms?: number | undefined
}

/** Searches for tokens that expire soon, on any node, and asks their projects to warn of them. */
export function warnOfExpiries(options: TokenWarningOptions): { stop(): void } {
  const { log, warning_days, every_ms = EVERY_MS } = options
  if (warning_days.length === 0) return { stop() {} }
  let stopped = false
  let timer: NodeJS.Timeout
  const run = async () => {
    try {
      await search(options, () => stopped)
    } catch (error) {
      if (!stopped)
        log.warn({ error: (error as Error).message }, 'the search for expiring tokens failed, trying again later')
    }
    if (!stopped) wait(every_ms)
  }
  const wait = (ms: number) => {
    timer = setTimeout(() => void run(), ms).unref()
  }
  // Spread at random, so that not all nodes search at once.
  wait(every_ms * Math.random())
  return {
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}

/** A project that cannot be asked is asked in the next search. */
async function search(
  { database, runtime, log, warning_days }: TokenWarningOptions,
  isStopped: () => boolean,
): Promise<void> {
  let after: ExpiringToken | undefined
  do {
    const page = await listExpiringTokens(database, { now: newDate(), warning_days, after, limit: PAGE })
    for (const [project_id, tokens] of Map.groupBy(page, (token) => token.project_id)) {
      if (isStopped()) return
      const ids = tokens.map(({ token_id }) => token_id)
      try {
        await runtime.ask(`project/${project_id}`, { type: 'warn_expiring_tokens', ids }, REPEATABLE)
      } catch (error) {
        log.warn({ project_id, error: (error as Error).message }, 'a project could not warn of its expiring tokens')
      }
    }
    after = page.length < PAGE ? undefined : page.at(-1)
  } while (after !== undefined)
}
