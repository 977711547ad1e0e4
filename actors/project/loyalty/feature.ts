/**
 * Loyalty programs, memberships and their ledgers.
 *
 * 1. This actor alone writes them, one turn after the other, so movements of a membership never overtake each other. A
 *    movement and the new figures of its membership are committed together. The unique index of the numbers and the
 *    triggers of the ledger refuse everything else (storage/migrations/0034_loyalty.ts).
 * 2. One durable timer for each project is set to the earliest expiry of all memberships. It only says when to look:
 *    the tables decide what has expired.
 * 3. Operators create, change and move; the public API reads the tables.
 */
import type { Feature } from '../turn/feature.ts'
import { createMembership } from './create_membership.ts'
import { createProgram } from './create_program.ts'
import { expireMemberships } from './expire_memberships.ts'
import { recordMovement } from './record_movement.ts'
import { updateMembership } from './update_membership.ts'
import { updateProgram } from './update_program.ts'

export const loyalty = {
  commands: {
    create_program: createProgram,
    update_program: updateProgram,
    create_membership: createMembership,
    update_membership: updateMembership,
    record_movement: recordMovement,
  },
  receivers: { expire_memberships: expireMemberships },
} satisfies Feature
