import type { Database } from '../../database/database.ts'
import { Company } from '../../entities/access/company.ts'
import { Project } from '../../entities/access/project.ts'
import { Token } from '../../entities/access/token.ts'
import { User } from '../../entities/access/user.ts'

/** The permissions and the owner of a token. */
export type Identity = {
  token: { id: string; name: string; prefix: string; expires_at: Date | null }
  company: { id: string; name: string }
  project: { id: string; name: string }
  user: { id: string; full_name: string; email: string }
  scopes: string[]
}

/** The answer to `GET /v1/me`, or undefined when the token is gone. */
export async function findIdentity(database: Database, token_id: string): Promise<Identity | undefined> {
  const em = database.em()
  const token = await em.findOne(Token, token_id)
  if (!token) return undefined
  const [company, project, user] = await Promise.all([
    em.findOneOrFail(Company, token.company_id),
    em.findOneOrFail(Project, token.project_id),
    em.findOneOrFail(User, token.user_id),
  ])
  return {
    token: { id: token._id, name: token.name, prefix: token.prefix, expires_at: token.expires_at ?? null },
    company: { id: company._id, name: company.name },
    project: { id: project._id, name: project.name },
    user: { id: user._id, full_name: user.full_name, email: user.email },
    scopes: token.scopes,
  }
}

/** The ids of all projects of a company. */
export async function listProjectIds(database: Database, company_id: string): Promise<string[]> {
  const rows = await database.em().find(Project, { company_id }, { fields: ['_id'] })
  return rows.map(({ _id }) => _id)
}

/** The projects of a company, oldest first; `is_current` marks the one the caller's token belongs to. */
export async function listProjects(
  database: Database,
  company_id: string,
  current_project_id: string,
): Promise<{ id: string; name: string; is_current: boolean }[]> {
  const rows = await database.em().find(Project, { company_id }, { orderBy: { _id: 'asc' } })
  return rows.map(({ _id, name }) => ({ id: _id, name, is_current: _id === current_project_id }))
}
