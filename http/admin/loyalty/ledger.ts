import * as v from 'valibot'
import {
  across,
  fieldsOf,
  maxCharacters,
  movementKinds,
  operatorLedgerEntry,
  toFullLedgerEntryRecord,
} from '../../../actors/mod.ts'
import { LoyaltyMembership, listEntries } from '../../../storage/mod.ts'
import { ledgerCursor } from '../../routes/loyalty/fields.ts'
import { ResponseWithHeaders } from '../../server/route/response_with_headers.ts'
import { beginOnce, followedPageOf } from '../../server/schema/fields.ts'
import { paging } from '../fields.ts'
import { operate } from '../operate.ts'
import { operatorRoute } from '../operator_route.ts'
import { findRecord } from '../records.ts'

const MAX_AMOUNT = 1_000_000_000

const writable = ['earn', 'redeem', 'adjust'] as const

const ref = v.pipe(
  v.string('must be a string'),
  maxCharacters(255),
  v.regex(/^\P{Cc}*$/u, 'must have no control characters'),
)

const movement = v.pipe(
  v.strictObject({
    kind: v.picklist(writable, 'must be earn, redeem or adjust'),
    amount: v.pipe(
      v.number('must be a whole number'),
      v.integer('must be a whole number'),
      v.minValue(-MAX_AMOUNT, `must be at least ${-MAX_AMOUNT}`),
      v.maxValue(MAX_AMOUNT, `must be at most ${MAX_AMOUNT}`),
      v.check((amount) => amount !== 0, 'must not be 0'),
    ),
    ref: v.optional(v.nullable(ref), null),
    key: v.optional(
      v.pipe(
        v.string('must be a string'),
        v.regex(/^[\x20-\x7e]{1,255}$/, 'must have 1 to 255 printable ASCII characters'),
      ),
    ),
  }),
  across((value, say) => {
    const { kind, amount } = fieldsOf(value)
    if (kind === 'earn' && typeof amount === 'number' && amount < 0) {
      say('must be positive; take points away with redeem or adjust', ['amount'])
    }
  }),
)

export const ledgerRoutes = [
  operatorRoute({
    method: 'POST',
    path: '/admin/v1/memberships/:id/ledger',
    operation: 'record_loyalty_movement',
    example: { body: { kind: 'earn', amount: 50, ref: 'order-A-1001' } },
    // For the keys of tills.
    role: 'support',
    summary: 'Add a movement to the ledger of a membership; with a key, a repeated request adds nothing',
    status: 201,
    body: movement,
    response: operatorLedgerEntry,
    errors: [
      'NOT_FOUND',
      'PROGRAM_INACTIVE',
      'INSUFFICIENT_BALANCE',
      'BALANCE_LIMIT_REACHED',
      'IDEMPOTENCY_KEY_REUSED',
    ],
    async change({ params, body: movement }, context) {
      const { project_id, _id: membership_id } = await findRecord(context.database, LoyaltyMembership, params.id)
      const command = { type: 'record_movement', membership_id, ...movement } as const
      const options = { repeatable: movement.key !== undefined }
      const { body, replayed } = await operate(context, project_id, command, options)
      return new ResponseWithHeaders(body, replayed ? 'Idempotent-Replayed: true\r\n' : '')
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/memberships/:id/ledger',
    operation: 'list_loyalty_movements',
    summary: 'List the movements of a membership, newest first',
    status: 200,
    query: v.pipe(
      v.strictObject({
        ...paging,
        cursor: ledgerCursor,
        kind: v.optional(v.picklist(movementKinds)),
        ref: v.optional(v.string()),
      }),
      beginOnce(),
    ),
    response: followedPageOf(operatorLedgerEntry),
    errors: ['NOT_FOUND'],
    async read({ params, query: { limit, offset, cursor, ...filter } }, { database }) {
      const membership = await findRecord(database, LoyaltyMembership, params.id)
      const { data, ...found } = await listEntries(database, membership, filter, { limit, offset, cursor })
      return { ...found, data: data.map(toFullLedgerEntryRecord), limit, offset }
    },
  }),
]
