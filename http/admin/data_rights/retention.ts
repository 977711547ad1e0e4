import * as v from 'valibot'
import { named } from '../../../actors/mod.ts'
import {
  type ConfiguredDays,
  changeRetention,
  type RetentionChanges,
  readRetention,
  retentionNames,
} from '../../../storage/mod.ts'
import type { Route } from '../../server/route/route.ts'
import { objectId } from '../fields.ts'
import { operatorRoute } from '../operator_route.ts'
import { explained } from '../records.ts'

/** A hundred years. */
const MAX_DAYS = 36_500
const daysExpected = `must be a whole number of days from 1 to ${MAX_DAYS}, null for ever, or "default"`

const days = v.optional(
  v.nullable(
    v.union([v.literal('default'), v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_DAYS))], daysExpected),
  ),
)

const setting = named(
  'RetentionSetting',
  v.object({
    kind: v.picklist(retentionNames),
    meaning: v.string(),
    days: v.pipe(v.nullable(v.number()), v.description('Null for ever')),
    default_days: v.nullable(v.number()),
    is_default: v.boolean(),
  }),
)
const response = named('Retention', v.object({ project_id: objectId, data: v.array(setting) }))

const PATH = '/admin/v1/projects/:id/retention'

export const retentionRoutes = (configured: ConfiguredDays): Route[] => [
  operatorRoute({
    method: 'GET',
    path: PATH,
    operation: 'get_retention',
    summary: 'Show for how many days a project keeps each kind of record',
    status: 200,
    response,
    errors: ['NOT_FOUND'],
    async read({ params: { id = '' } }, { database }) {
      return { project_id: id, data: await explained(readRetention(database, id, configured)) }
    },
  }),
  operatorRoute({
    method: 'PATCH',
    path: PATH,
    operation: 'update_retention',
    example: { body: { messages: 365, audit: 'default' } },
    summary: 'Change for how many days a project keeps some kinds of records; applies within an hour',
    status: 200,
    body: v.strictObject(Object.fromEntries(retentionNames.map((kind) => [kind, days]))),
    response,
    errors: ['NOT_FOUND'],
    async change({ params: { id = '' }, body }, { database }) {
      await explained(changeRetention(database, id, body as RetentionChanges, configured))
      return { project_id: id, data: await explained(readRetention(database, id, configured)) }
    },
  }),
]
