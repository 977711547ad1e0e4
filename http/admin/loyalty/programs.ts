import * as v from 'valibot'
import {
  across,
  composedText,
  exampleIds,
  fieldsOf,
  loyaltyProgramRecord,
  maxCharacters,
  minCharacters,
  named,
  programTypes,
  toLoyaltyProgramRecord,
} from '../../../actors/mod.ts'
import { LoyaltyProgram, listLoyaltyPrograms, removeProgram } from '../../../storage/mod.ts'
import { flagQuery } from '../../server/schema/fields.ts'
import { flag, name, objectId, recordList, recordsOf } from '../fields.ts'
import { operate } from '../operate.ts'
import { operatorRoute } from '../operator_route.ts'
import { explained, findRecord } from '../records.ts'

const MAX_TIERS = 50
/** A hundred years. */
const MAX_DAYS = 36_500
const MAX_POINTS = 2_000_000_000

const expiration_days = v.pipe(
  v.number('must be a whole number'),
  v.integer('must be a whole number'),
  v.minValue(0, 'must not be negative; 0 is for points that do not expire'),
  v.maxValue(MAX_DAYS, `must be at most ${MAX_DAYS}`),
)

const rules = v.pipe(
  v.strictObject({ points: v.optional(v.strictObject({ expiration_days: v.optional(expiration_days, 0) })) }),
  v.transform(({ points = { expiration_days: 0 } }) => ({ points })),
)

const tier = v.strictObject({
  name: v.pipe(v.string('must be a string'), composedText(), v.trim(), minCharacters(1), maxCharacters(100)),
  threshold: v.pipe(
    v.number('must be a whole number'),
    v.integer('must be a whole number'),
    v.minValue(0, 'must not be negative'),
    v.maxValue(MAX_POINTS, `must be at most ${MAX_POINTS}`),
  ),
})

const tiers = v.pipe(
  v.array(tier, 'must be a list of levels'),
  v.maxLength(MAX_TIERS, `must have at most ${MAX_TIERS} levels`),
  across((value, say) => {
    if (!Array.isArray(value)) return
    for (const field of ['name', 'threshold'] as const) {
      const all = value.map((one) => fieldsOf(one)[field])
      for (const [place, one] of all.entries()) {
        if (one !== undefined && all.indexOf(one) < place) say('is that of another level', [place, field])
      }
    }
  }),
)

const fields = { rules: v.optional(rules), tiers: v.optional(tiers), is_active: v.optional(flag) }

const creation = v.pipe(
  v.strictObject({ project_id: objectId, name, type: v.picklist(programTypes, 'must be points or stamps'), ...fields }),
  across((value, say) => {
    const { type, rules } = fieldsOf(value)
    const days = fieldsOf(fieldsOf(rules).points).expiration_days
    if (type !== 'stamps' || days === undefined || days === 0) return
    say('must be 0 in a program of stamps, which do not expire', ['rules', 'points', 'expiration_days'])
  }),
)

const record = named(
  'OperatorProgram',
  v.object({
    project_id: objectId,
    ...loyaltyProgramRecord.entries,
  }),
)

function show(program: LoyaltyProgram) {
  return { project_id: program.project_id, ...toLoyaltyProgramRecord(program) }
}

export const programRoutes = [
  operatorRoute({
    method: 'POST',
    path: '/admin/v1/programs',
    operation: 'create_loyalty_program',
    example: {
      body: {
        project_id: exampleIds.project,
        name: 'Coffee club',
        type: 'points',
        tiers: [{ name: 'Gold', threshold: 500 }],
      },
    },
    summary: 'Create a loyalty program of a project',
    status: 201,
    body: creation,
    response: record,
    errors: ['PROJECT_NOT_FOUND', 'PROGRAM_LIMIT_REACHED'],
    async change({ body: { project_id, type: kind, ...input } }, context) {
      const defaults = { rules: { points: { expiration_days: 0 } }, tiers: [], is_active: true }
      const { body } = await operate(context, project_id, {
        type: 'create_program',
        kind,
        ...defaults,
        ...input,
      })
      return show(body)
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/programs',
    operation: 'list_loyalty_programs',
    summary: 'List loyalty programs, newest first',
    status: 200,
    query: recordList({
      project_id: v.optional(objectId),
      type: v.optional(v.picklist(programTypes)),
      is_active: v.optional(flagQuery),
    }),
    response: recordsOf(record),
    async read({ query: { limit, offset, cursor, ...filter } }, { database }) {
      const { data, ...found } = await listLoyaltyPrograms(database, filter, { limit, offset, cursor })
      return { ...found, data: data.map(show), limit, offset }
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/programs/:id',
    operation: 'get_loyalty_program_record',
    summary: 'Get a loyalty program',
    status: 200,
    response: record,
    errors: ['NOT_FOUND'],
    read: async ({ params }, { database }) => show(await findRecord(database, LoyaltyProgram, params.id)),
  }),
  operatorRoute({
    method: 'PATCH',
    path: '/admin/v1/programs/:id',
    operation: 'update_loyalty_program',
    example: { body: { name: 'Coffee lovers' } },
    summary: 'Change a loyalty program; rules and tiers are replaced as a whole',
    status: 200,
    body: v.strictObject({ name: v.optional(name), ...fields }),
    response: record,
    errors: ['NOT_FOUND'],
    async change({ params, body: patch }, context) {
      const { project_id, _id: id } = await findRecord(context.database, LoyaltyProgram, params.id)
      const { body } = await operate(context, project_id, { type: 'update_program', id, patch })
      return show(body)
    },
  }),
  operatorRoute({
    method: 'DELETE',
    path: '/admin/v1/programs/:id',
    operation: 'delete_loyalty_program',
    summary: 'Delete a loyalty program without members',
    status: 204,
    errors: ['NOT_FOUND', 'IN_USE'],
    async change({ params }, { database }) {
      const { _id } = await findRecord(database, LoyaltyProgram, params.id)
      await explained(removeProgram(database, _id))
    },
  }),
]
