/** The board of a pipeline: its open tickets by stage, and what they add up to. */
import * as v from 'valibot'
import { recordId, ticketPriorities } from '../../actors/mod.ts'
import { Refusal } from '../../runtime/mod.ts'
import {
  type BoardFilter,
  type Database,
  listStages,
  MAX_COUNTED,
  Pipeline,
  readBoard,
  readBoardTotals,
  readRows,
  timelineCursor,
} from '../../storage/mod.ts'
import type { Route } from '../server/route/route.ts'
import { route } from '../server/route/typed_route.ts'
import { limit, pageOf, search } from '../server/schema/fields.ts'
import { inboxRow } from './inbox/list.ts'

const BOARD = '/console/projects/:project_id/board'
const common = { method: 'GET', auth: 'agent', pool: 'exempt', status: 200 } as const

/** The parameter for what has none. */
const NONE = 'none'

const text = v.nullable(v.string())
const stage = v.pipe(v.nullable(recordId), v.description('Null: open tickets without a stage'))

const filter = {
  pipeline_id: recordId,
  assigned_to: v.optional(v.union([v.literal(NONE), recordId], `must be the id of a user, or ${NONE}`)),
  tag_id: v.optional(recordId),
  priority: v.optional(v.picklist(ticketPriorities)),
  search,
}

const card = v.object({ ...inboxRow.entries, amount: v.nullable(v.number()), amount_currency: text, summary: text })

const total = v.object({
  stage_id: stage,
  tickets: v.pipe(v.number(), v.description(`${MAX_COUNTED} stands for that many or more`)),
  amounts: v.array(v.object({ currency: text, amount: v.number() })),
})

export const boardRoutes: Route[] = [
  route({
    ...common,
    path: BOARD,
    operation: 'console_read_board',
    summary: 'The open tickets of each stage of a pipeline, or a further page of one, the latest activity first',
    query: v.strictObject({
      ...filter,
      stage_id: v.optional(v.union([v.literal(NONE), recordId], `must be the id of a stage, or ${NONE}`)),
      limit,
      cursor: v.optional(
        v.pipe(v.string(), v.regex(timelineCursor, 'must be the next_cursor of a page'), v.toLowerCase()),
      ),
    }),
    errors: ['NOT_FOUND'],
    response: v.object({ columns: v.array(v.object({ stage_id: stage, ...pageOf(card).entries })) }),
    async read({ query: { stage_id, limit, cursor, ...filter } }, { database, project_id, user_id }) {
      const all = await stagesOf(database, project_id, filter.pipeline_id)
      const stages = stage_id === undefined ? all : all.filter((one) => (one ?? NONE) === stage_id)
      const page = { limit, cursor: stage_id === undefined ? undefined : cursor }
      return { columns: await readBoard(database, { project_id, user_id }, stages, filterOf(filter), page) }
    },
  }),
  route({
    ...common,
    path: `${BOARD}/totals`,
    operation: 'console_read_board_totals',
    summary: 'The number of open tickets in each stage of a pipeline, and the sums of their amounts',
    query: v.strictObject(filter),
    errors: ['NOT_FOUND'],
    response: v.object({ data: v.array(total) }),
    async read({ query: filter }, { database, project_id, user_id }) {
      const stages = await stagesOf(database, project_id, filter.pipeline_id)
      return { data: await readBoardTotals(database, { project_id, user_id }, stages, filterOf(filter)) }
    },
  }),
]

type Asked = Omit<BoardFilter, 'assigned_to'> & { pipeline_id: string; assigned_to?: string | undefined }

function filterOf({ pipeline_id: _, assigned_to, ...filter }: Asked): BoardFilter {
  return { ...filter, assigned_to: assigned_to === NONE ? null : assigned_to }
}

/** The stages of a pipeline in their order. That of the default one begins with tickets that have no stage. */
async function stagesOf(database: Database, project_id: string, pipeline_id: string): Promise<(string | null)[]> {
  const [pipeline] = await readRows(database, Pipeline, { _id: pipeline_id, project_id })
  if (!pipeline) throw new Refusal('NOT_FOUND')
  const stages = (await listStages(database, [pipeline_id])).get(pipeline_id) ?? []
  return [...(pipeline.is_default ? [null] : []), ...stages.map(({ _id }) => _id)]
}
