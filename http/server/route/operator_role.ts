import type { OperatorRole } from '../../../storage/mod.ts'
import type { Route } from './route.ts'

/** Each role may do what those before it may. */
export const operatorRoles = ['read', 'support', 'admin'] as const satisfies OperatorRole[]

/** The role that a route of operators needs: its own, else `read` where it reads and `admin` where it changes. */
export function roleOf({ role, method, read, download }: Route): OperatorRole {
  return role ?? (method === 'GET' || read !== undefined || download !== undefined ? 'read' : 'admin')
}

export function mayAct(role: OperatorRole, needed: OperatorRole): boolean {
  return operatorRoles.indexOf(role) >= operatorRoles.indexOf(needed)
}
