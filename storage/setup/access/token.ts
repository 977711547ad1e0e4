import { LockMode } from '@mikro-orm/core'
import { auditRecord, snapshot } from '../../audit/audit_record.ts'
import type { Database } from '../../database/database.ts'
import { type Project, Token, User } from '../../entities/mod.ts'
import { newDate } from '../../values/time.ts'
import { ChangeRefused } from '../change_refused.ts'
import { changeRecord, named, stamped } from '../records.ts'
import { projectNamed } from './project.ts'

type NewToken = Pick<Token, 'project_id' | 'user_id' | 'name' | 'scopes' | 'prefix' | 'hash'> & {
  expires_at?: Date | null | undefined
}

/**
 * Stores a token of a user. The user is locked until the token is stored: a deactivation of the user then finds the
 * token and tells its project.
 *
 * @param check throws when this user may have no token of this project
 * @throws {ChangeRefused} PROJECT_NOT_FOUND, USER_NOT_FOUND
 * @throws {ConstraintViolation} when the project or the user is deleted meanwhile
 */
export function storeToken(
  database: Database,
  input: NewToken,
  check: (user: User, project: Project) => void,
): Promise<Token> {
  return named(() =>
    database.em().transactional(async (em) => {
      const project = await projectNamed(em, input.project_id)
      const user = await em.findOne(User, { _id: input.user_id }, { lockMode: LockMode.PESSIMISTIC_READ })
      if (!user) throw new ChangeRefused('USER_NOT_FOUND', { user_id: input.user_id })
      check(user, project)
      const row = em.create(Token, stamped({ ...input, company_id: project.company_id }))
      await auditRecord(database, em, Token, { after: snapshot(database, Token, row) })
      return row
    }),
  )
}

/** @throws {ChangeRefused} NOT_FOUND, TOKEN_REVOKED */
export function changeToken(
  database: Database,
  _id: string,
  changes: Partial<Pick<Token, 'name' | 'scopes' | 'expires_at'>>,
): Promise<Token> {
  return changeRecord(database, Token, _id, (row) => {
    if (row.revoked_at) throw new ChangeRefused('TOKEN_REVOKED')
    Object.assign(row, changes)
  })
}

/** @throws {ChangeRefused} NOT_FOUND, also when it is revoked already: of two revocations at once, one succeeds */
export function revokeToken(database: Database, _id: string): Promise<Token> {
  return changeRecord(database, Token, _id, (row) => {
    if (row.revoked_at) throw new ChangeRefused('NOT_FOUND')
    row.revoked_at = newDate()
  })
}
