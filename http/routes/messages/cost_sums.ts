/** The costs of messages: the query, the answer and the file that the public and the operator API share. */
import { Readable } from 'node:stream'
import * as v from 'valibot'
import { across, costTotal, fieldsOf, groupedCost, marketingSpending, readMarketing } from '../../../actors/mod.ts'
import {
  type CostFilter,
  type CostGroup,
  costGroups,
  type Database,
  now,
  sumCosts,
  totalCosts,
} from '../../../storage/mod.ts'
import { refuseInvalid } from '../../server/errors/invalid.ts'
import type { Download } from '../../server/files/download.ts'
import { limit, offset, uncountedPageOf } from '../../server/schema/fields.ts'
import { inOrder, range } from '../../server/schema/instant.ts'
import { csvLine } from '../broadcasts/csv.ts'

/** Days of a sum at most. */
const MAX_DAYS = 366
const DAY_MS = 86_400_000

const period = {
  since: v.pipe(range.since, v.description('Default: the beginning of this month, in UTC')),
  until: v.pipe(range.until, v.description('Default: now')),
}

/** `further`: parameters of the operator API. */
export function costQuery<Entries extends v.ObjectEntries>(groups: readonly CostGroup[], further: Entries) {
  return v.pipe(
    v.strictObject({ ...period, group_by: v.optional(v.picklist(groups), 'day'), ...further }),
    inOrder(),
    across((value, say) => {
      const { since, until } = fieldsOf(value)
      if (typeof since !== 'string') return
      const end = typeof until === 'string' ? Date.parse(until) : now()
      if (end - Date.parse(since) > MAX_DAYS * DAY_MS) say(`must be at most ${MAX_DAYS} days before until`, ['since'])
    }),
  )
}

export const costWindow = { limit, offset }

/** Groups of a project's own sums. */
export const ownGroups = costGroups.filter((group) => group !== 'project')

export const costAnswer = v.object({
  since: v.string(),
  until: v.string(),
  group_by: v.picklist(costGroups),
  totals: v.pipe(v.array(costTotal), v.description('Of the whole period, one for each currency')),
  marketing: v.pipe(
    v.nullable(marketingSpending),
    v.description('The cost of marketing in the present month, whatever the period; null for the sums of a company'),
  ),
  ...uncountedPageOf(groupedCost).entries,
})

type Asked = { since?: string | undefined; until?: string | undefined; group_by: CostGroup }
type Owner = Pick<CostFilter, 'company_id' | 'project_id'>

function filterOf({ since, until }: Asked, owner: Owner): CostFilter {
  const at = new Date(now())
  const end = until ?? at.toISOString()
  const month = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1))
  // A period that ends before this month begins with the month of its end.
  const begin = new Date(Math.min(month.getTime(), Date.parse(`${end.slice(0, 7)}-01T00:00:00Z`)))
  return { ...owner, since: since ?? begin.toISOString(), until: end }
}

export async function readCosts(
  database: Database,
  owner: Owner,
  { limit, offset, ...asked }: Asked & { limit: number; offset: number },
) {
  const filter = filterOf(asked, owner)
  const totals = await totalCosts(database, filter)
  const rows = await sumCosts(database, filter, asked.group_by, { limit: limit + 1, offset })
  const marketing = owner.project_id === undefined ? null : await readMarketing(database, owner.project_id)
  const { since, until } = filter
  const page = { data: rows.slice(0, limit), limit, offset, has_more: rows.length > limit }
  return { since, until, group_by: asked.group_by, totals, marketing, ...page }
}

const COLUMNS = ['group', 'label', 'currency', 'amount', 'message_count', 'billable_count'] as const
/** Groups of a file. Only bulk sends are many. */
const MAX_GROUPS = 100_000

/**
 * All groups as a CSV file, as they are at one moment. Its first column has the name of the grouping.
 *
 * @throws {Refusal} VALIDATION_ERROR for a period with more groups than a file may have
 */
export async function costsFile(database: Database, owner: Owner, asked: Asked): Promise<Download> {
  const filter = filterOf(asked, owner)
  const rows = await sumCosts(database, filter, asked.group_by, { limit: MAX_GROUPS + 1, offset: 0 })
  if (rows.length > MAX_GROUPS) {
    const message = `must begin later: a file has at most ${MAX_GROUPS} rows, and this period has more`
    refuseInvalid([{ path: 'since', message, code: 'invalid_value' }])
  }
  const header = csvLine([asked.group_by, ...COLUMNS.slice(1)])
  const bytes = Buffer.from(header + rows.map((row) => csvLine(COLUMNS.map((column) => row[column]))).join(''))
  return {
    size: bytes.length,
    etag: null,
    content_type: 'text/csv; charset=utf-8',
    filename: `costs-${filter.since.slice(0, 10)}.csv`,
    open: async (part) => Readable.from([part ? bytes.subarray(part.start, part.end + 1) : bytes]),
  }
}
