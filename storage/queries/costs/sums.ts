import type { Database } from '../../database/database.ts'
import { type Sql, sql } from '../../sql/sql.ts'

export const costGroups = ['day', 'category', 'channel', 'broadcast', 'project'] as const
export type CostGroup = (typeof costGroups)[number]

/** Messages charged at or after `since`, and before `until` (ISO 8601). */
export type CostFilter = {
  company_id?: string | undefined
  project_id?: string | undefined
  since: string
  until: string
}

/** `currency` and `amount` are null for messages for which no rate was known. */
export type CostSum = { currency: string | null; amount: number | null; message_count: number; billable_count: number }

/** `group`: a day (UTC), a category or an id; null for messages of no broadcast. `label`: the name of the record. */
export type GroupedCost = CostSum & { group: string | null; label: string | null }

type Grouping = { key: Sql; label: Sql; join: Sql; order: Sql }

const NONE = sql``
const UNNAMED = sql`null::text`

const groupings: Readonly<Record<CostGroup, Grouping>> = {
  day: {
    key: sql`to_char(cost.charged_at at time zone 'UTC', 'YYYY-MM-DD')`,
    label: UNNAMED,
    join: NONE,
    order: sql`"group"`,
  },
  category: { key: sql`cost.category`, label: UNNAMED, join: NONE, order: sql`"group"` },
  channel: {
    key: sql`cost.channel_id`,
    label: sql`name`,
    join: sql`left join channel on channel._id = "group"`,
    order: sql`"group"`,
  },
  broadcast: {
    key: sql`cost.broadcast_id`,
    label: sql`coalesce(campaign_name, template_name)`,
    join: sql`left join broadcast on broadcast.id = "group"`,
    order: sql`"group" desc nulls last`,
  },
  project: {
    key: sql`cost.project_id`,
    label: sql`name`,
    join: sql`left join project on project._id = "group"`,
    order: sql`"group"`,
  },
}

const SUMS = sql`cost.currency, sum(cost.amount)::text as amount, count(*)::integer as message_count,
  (count(*) filter (where cost.billable))::integer as billable_count`

/** The sums of each group and currency. Bulk sends: newest first; the others in the order of their keys. */
export async function sumCosts(
  database: Database,
  filter: CostFilter,
  group_by: CostGroup,
  { limit, offset }: { limit: number; offset: number },
): Promise<GroupedCost[]> {
  const { key, label, join, order } = groupings[group_by]
  const rows = await database.execute<Summed<GroupedCost>>(sql`
    select sums.*, ${label} as label from (
      select ${key} as "group", ${SUMS} from message_cost cost where ${conditions(filter)}
      group by 1, 2 order by ${order}, cost.currency limit ${limit} offset ${offset}
    ) sums ${join} order by ${order}, sums.currency`)
  return rows.map(exact)
}

/** The sum of each currency. */
export async function totalCosts(database: Database, filter: CostFilter): Promise<CostSum[]> {
  const rows = await database.execute<Summed<CostSum>>(
    sql`select ${SUMS} from message_cost cost where ${conditions(filter)} group by 1 order by 1`,
  )
  return rows.map(exact)
}

type Summed<Sum> = Omit<Sum, 'amount'> & { amount: string | null }

function exact<Sum extends Summed<CostSum>>(row: Sum) {
  return { ...row, amount: row.amount === null ? null : Number(row.amount) }
}

function conditions({ company_id, project_id, since, until }: CostFilter): Sql {
  const all = [sql`cost.charged_at >= ${since}`, sql`cost.charged_at < ${until}`]
  if (company_id !== undefined) all.push(sql`cost.company_id = ${company_id}`)
  if (project_id !== undefined) all.push(sql`cost.project_id = ${project_id}`)
  return sql.join(all, ' and ')
}
