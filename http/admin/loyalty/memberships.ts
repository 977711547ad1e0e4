import * as v from 'valibot'
import { exampleIds, membershipStatuses, operatorMembership, toFullMembershipRecord } from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import {
  findMembership,
  LoyaltyMembership,
  LoyaltyProgram,
  listMemberships,
  newDate,
  readRows,
  removeMembership,
} from '../../../storage/mod.ts'
import { flagQuery } from '../../server/schema/fields.ts'
import { instant } from '../../server/schema/instant.ts'
import { objectId, recordList, recordsOf } from '../fields.ts'
import { operate } from '../operate.ts'
import { operatorRoute } from '../operator_route.ts'
import { explained, findRecord } from '../records.ts'

const status = v.picklist(membershipStatuses, `must be one of ${membershipStatuses.join(', ')}`)

const serial_number = v.pipe(
  v.string('must be a string'),
  v.regex(/^[\x21-\x7e](?:[\x20-\x7e]{0,62}[\x21-\x7e])?$/, 'must have 1 to 64 printable ASCII characters'),
)

export const membershipRoutes = [
  operatorRoute({
    method: 'POST',
    path: '/admin/v1/memberships',
    operation: 'create_loyalty_membership',
    example: { body: { program_id: exampleIds.program, customer_id: exampleIds.customer } },
    summary: 'Enrol a customer in a loyalty program',
    status: 201,
    body: v.strictObject({
      program_id: objectId,
      customer_id: objectId,
      serial_number: v.optional(serial_number),
      status: v.optional(status, 'active'),
      enrolled_at: v.optional(v.pipe(instant, v.description('Not in the future; now without it'))),
    }),
    response: operatorMembership,
    errors: [
      'PROGRAM_NOT_FOUND',
      'PROGRAM_INACTIVE',
      'CUSTOMER_NOT_FOUND',
      'MEMBERSHIP_ALREADY_EXISTS',
      'SERIAL_NUMBER_ALREADY_EXISTS',
    ],
    async change({ body: fields }, context) {
      const { program_id } = fields
      const [program] = await readRows(context.database, LoyaltyProgram, { _id: program_id })
      if (!program) throw new Refusal('PROGRAM_NOT_FOUND', { details: { program_id } })
      return (await operate(context, program.project_id, { type: 'create_membership', ...fields })).body
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/memberships',
    operation: 'list_loyalty_memberships',
    summary: 'List memberships, newest first',
    status: 200,
    query: recordList({
      project_id: v.optional(objectId),
      program_id: v.optional(objectId),
      customer_id: v.optional(objectId),
      serial_number: v.optional(v.string()),
      status: v.optional(status),
    }),
    response: recordsOf(operatorMembership),
    async read({ query: { limit, offset, cursor, ...filter } }, { database }) {
      const { data, ...found } = await listMemberships(database, filter, { limit, offset, cursor })
      const at = newDate()
      const records = data.map(({ membership, program }) => toFullMembershipRecord(membership, program, at))
      return { ...found, data: records, limit, offset }
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/memberships/:id',
    operation: 'get_loyalty_membership_record',
    summary: 'Get a membership',
    status: 200,
    response: operatorMembership,
    errors: ['NOT_FOUND'],
    async read({ params }, { database }) {
      const { project_id } = await findRecord(database, LoyaltyMembership, params.id)
      const member = await findMembership(database, project_id, params.id)
      if (!member) throw new Refusal('NOT_FOUND')
      return toFullMembershipRecord(member.membership, member.program, newDate())
    },
  }),
  operatorRoute({
    method: 'PATCH',
    path: '/admin/v1/memberships/:id',
    operation: 'update_loyalty_membership',
    example: { body: { status: 'suspended' } },
    summary: 'Change the label or the serial number of a membership',
    status: 200,
    body: v.strictObject({ status: v.optional(status), serial_number: v.optional(serial_number) }),
    response: operatorMembership,
    errors: ['NOT_FOUND', 'SERIAL_NUMBER_ALREADY_EXISTS'],
    async change({ params, body: patch }, context) {
      const { project_id, _id: id } = await findRecord(context.database, LoyaltyMembership, params.id)
      return (await operate(context, project_id, { type: 'update_membership', id, patch })).body
    },
  }),
  operatorRoute({
    method: 'DELETE',
    path: '/admin/v1/memberships/:id',
    operation: 'delete_loyalty_membership',
    summary: 'Delete a membership without movements; with_ledger=true erases its movements, too',
    status: 204,
    query: v.strictObject({ with_ledger: v.optional(flagQuery, 'false') }),
    errors: ['NOT_FOUND', 'IN_USE'],
    async change({ params, query: { with_ledger } }, { database }) {
      const { _id } = await findRecord(database, LoyaltyMembership, params.id)
      await explained(removeMembership(database, _id, with_ledger))
    },
  }),
]
