import type { Log } from '../../../runtime/mod.ts'
import {
  type Database,
  dropBulkSlicesLeft,
  dropSessionsOver,
  dropSlicesLeft,
  dropVisitorSessionsOver,
  forgetAgentRecords,
  forgetAgentToolCalls,
  forgetAnswers,
  forgetAudit,
  forgetBulkActions,
  forgetDeadLetters,
  forgetEarlyStatuses,
  forgetIdentities,
  forgetKnowledge,
  forgetMails,
  forgetTestRuns,
  keepDayTables,
  maxDays,
  sweepPollGroups,
  sweepRetention,
} from '../../../storage/mod.ts'
import type { Config } from '../settings/mod.ts'

const HOUR_MS = 3_600_000

/**
 * Creates the tables of the coming days at once and each hour, on any node, and deletes expired data. `retention_days`
 * holds for projects without settings of their own. A part that fails holds up none of the others.
 */
export async function keepDays(
  database: Database,
  { retention_days, dead_letter_days, audit_days }: Pick<Config, 'retention_days' | 'dead_letter_days' | 'audit_days'>,
  log: Log,
  tidyFiles: () => Promise<unknown>,
): Promise<{ stop(): void }> {
  let stopped = false
  let is_tidying = false
  const keep = async () => {
    const days = await maxDays(database, { retention_days, audit_days })
    const dropped = await keepDayTables(database, days)
    await sweepPollGroups(database, days)
    return dropped
  }
  await keep()
  const tidy = async () => {
    // A large sweep may take longer than an hour.
    if (is_tidying) return
    is_tidying = true
    const parts: (() => Promise<unknown>)[] = [
      async () => {
        const dropped = await keep()
        if (dropped.length > 0) log.info({ dropped }, 'expired days of events and deliveries were deleted')
      },
      () => forgetAnswers(database),
      () => forgetEarlyStatuses(database),
      async () => {
        const letters = await forgetDeadLetters(database, dead_letter_days)
        if (letters > 0) log.info({ letters }, 'expired dead letters were deleted')
      },
      () => forgetMails(database, dead_letter_days),
      () => forgetKnowledge(database, retention_days),
      () => forgetAgentToolCalls(database, retention_days),
      () => forgetAgentRecords(database, retention_days),
      () => forgetTestRuns(database),
      () => forgetAudit(database, audit_days),
      async () => {
        while (!stopped && (await forgetIdentities(database)));
      },
      () => dropSlicesLeft(database),
      () => dropBulkSlicesLeft(database),
      () => forgetBulkActions(database, retention_days),
      () => dropSessionsOver(database),
      () => dropVisitorSessionsOver(database),
      async () => {
        const deleted = await sweepRetention(database, { retention_days, audit_days }, () => stopped)
        if (Object.keys(deleted).length > 0) log.info({ deleted }, 'expired records of projects were deleted')
      },
      tidyFiles,
    ]
    const faults: string[] = []
    for (const part of parts) if (!stopped) await part().catch((error) => faults.push((error as Error).message))
    if (faults.length > 0 && !stopped) log.warn({ error: faults.join('; ') }, 'tidying failed, trying again in an hour')
    is_tidying = false
  }
  // Spread at random, so that not all nodes do it at once.
  const timer = setInterval(() => void tidy(), HOUR_MS * (0.9 + 0.2 * Math.random()))
  timer.unref()
  return {
    stop() {
      stopped = true
      clearInterval(timer)
    },
  }
}
