import type { Database } from '../../database/database.ts'
import { OPERATOR_PERMISSION } from '../../sessions/console_sessions.ts'
import { ChangeRefused } from '../change_refused.ts'

/** True for a user who sees the whole installation. */
export function isOperator({ permissions }: { permissions: readonly string[] }): boolean {
  return permissions.includes(OPERATOR_PERMISSION)
}

/**
 * A user who sees the whole installation is made and changed with an operator key alone, or by a command on the database.
 * No user can give this right, or take over the account of somebody who has it, whatever the route.
 *
 * @throws {ChangeRefused} INSUFFICIENT_ROLE
 */
export function protectOperators({ origin }: Database, permissions: readonly string[]): void {
  const is_operator = origin === undefined || origin.actor_kind === 'operator'
  if (is_operator || !isOperator({ permissions })) return
  throw new ChangeRefused('INSUFFICIENT_ROLE', { required: 'admin', role: OPERATOR_PERMISSION })
}
