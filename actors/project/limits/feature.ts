/** Rate limits of a project. */

import { listErasingProjects, Project, RateWindow } from '../../../storage/mod.ts'
import { budgetReads, rateReads } from '../costs/reads.ts'
import type { Feature, Receiver, Refresh } from '../turn/feature.ts'
import type { ReadKind } from '../turn/records.ts'

const PERSIST_MS = 1000
const persist = { type: 'persist_windows' }

/** Schedules writing the rate windows to the database. One write covers many requests. */
export function persistSoon(turn: { soon(ms: number, message: { type: string }): void }): void {
  turn.soon(PERSIST_MS, persist)
}

/** To itself: stores the counts of the rate windows. */
const persistWindows: Receiver<object> = {
  receive(turn) {
    if (turn.state.exists) turn.upsert(RateWindow, { project_id: turn.key, counts: turn.state.counts })
  },
}

/** The row of the project; null when it is being erased. */
const projectReads: ReadKind<object, { row: Project | null }> = {
  keys: () => ({}),
  found: () => ({ row: null }),
  async read(found, _wanted, { database, state: { project_id } }) {
    const [erasing] = await listErasingProjects(database, [project_id])
    if (!erasing) found.row = await database.em().findOne(Project, { _id: project_id }, { disableIdentityMap: true })
  },
}

/** The project was created, or its limits were changed. */
const refreshLimits: Refresh = {
  reads(reads) {
    reads.of(projectReads)
    // A send in the same turn may need it.
    reads.of(budgetReads)
    reads.of(rateReads)
  },
  refresh({ state, records }) {
    const { row } = records.of(projectReads)
    if (!row) return
    state.exists = true
    state.company_id = row.company_id
    state.limits = row.limits
    state.monthly_marketing_cap = row.monthly_marketing_cap ?? null
    state.unread_mail_minutes = row.unread_mail_minutes ?? null
    state.office_hours = row.office_hours ?? null
  },
}

export const limits = {
  receivers: { persist_windows: persistWindows },
  refreshes: { limits: refreshLimits },
} satisfies Feature
