import { batched } from '../../database/batcher.ts'
import type { Database } from '../../database/database.ts'
import { Company } from '../../entities/access/company.ts'
import { Project } from '../../entities/access/project.ts'
import { User } from '../../entities/access/user.ts'
import { FRESH, IS_AGENT } from '../../sessions/console_sessions.ts'
import { sql } from '../../sql/sql.ts'

/** A valid session: it has not expired, and its user is an agent now. */
export type LiveSession = {
  hash: string
  user_id: string
  user_name: string
  company_id: string
  /** Permissions of its user, now. */
  permissions: string[]
  expires_at: Date
}

/** `project_id`: the requested project, when it is of the user's company. `is_fresh`: it needs no renewal yet. */
type SessionState = LiveSession & { project_id: string | null; is_fresh: boolean }

type Row = Omit<SessionState, 'expires_at'> & { at: number; expires_at: string }

/** The session with this SHA-256 (hex) of its cookie, if it is valid. One query for all concurrent callers. */
export const findSession = batched(async (database: Database, wants: { hash: string; project_id: string | null }[]) => {
  const rows =
    await database.execute<Row>(sql`select w.at, s.hash, s.user_id, u.full_name as user_name, u.company_id, u.permissions, s.expires_at,
          p._id as project_id,
          s.used_at >= now() - ${FRESH} as is_fresh
        from json_to_recordset(${JSON.stringify(wants.map((want, at) => ({ at, ...want })))}::json) as w(at int, hash text, project_id text)
        join console_session s on s.hash = w.hash
        join "user" u on u._id = s.user_id
        left join project p on p._id = w.project_id and p.company_id = u.company_id
        where s.expires_at > now() and ${IS_AGENT}`)
  const found: (SessionState | undefined)[] = wants.map(() => undefined)
  for (const { at, expires_at, ...row } of rows) found[at] = { ...row, expires_at: new Date(expires_at) }
  return found
})

/** The users of the sessions that are valid now and may work in the project, by the hash of the session. */
export async function listAgentsAt(
  database: Database,
  project_id: string,
  hashes: readonly string[],
): Promise<Map<string, Pick<User, '_id' | 'permissions'>>> {
  const rows = await database.execute<
    Pick<User, '_id' | 'permissions'> & { hash: string }
  >(sql`select s.hash, u._id, u.permissions from console_session s
      join "user" u on u._id = s.user_id
      join project p on p.company_id = u.company_id
      where s.hash in (select json_array_elements_text(${JSON.stringify(hashes)}::json)) and p._id = ${project_id}
        and s.expires_at > now() and ${IS_AGENT}`)
  return new Map(rows.map(({ hash, ...user }) => [hash, user]))
}

/** The hashes of the sessions that are still valid. */
export async function liveSessions(database: Database, hashes: readonly string[]): Promise<Set<string>> {
  const rows = await database.execute<{
    hash: string
  }>(sql`select s.hash from console_session s join "user" u on u._id = s.user_id
      where s.hash in (select json_array_elements_text(${JSON.stringify(hashes)}::json)) and s.expires_at > now() and ${IS_AGENT}`)
  return new Set(rows.map(({ hash }) => hash))
}

export async function listSessionsOf(database: Database, user_id: string): Promise<string[]> {
  const rows = await database.execute<{ hash: string }>(
    sql`select hash from console_session where user_id = ${user_id}`,
  )
  return rows.map(({ hash }) => hash)
}

/** The user who signs in with this address, or undefined. `email` is the address as it is compared: in one case. */
export async function findSignIn(
  database: Database,
  email: string,
): Promise<{ email: string; user: Pick<User, '_id' | 'password_hash' | 'is_active' | 'permissions'> | undefined }> {
  const [row] = await database.execute<
    User & { address: string }
  >(sql`select w.address, u._id, u.password_hash, u.is_active, u.permissions
      from (select lower(${email}::text) as address) w left join "user" u on lower(u.email) = w.address`)
  const { address, ...user } = row!
  return { email: address, user: user._id === null ? undefined : user }
}

export type AgentRecord = {
  user: { _id: string; full_name: string; email: string; permissions: string[] }
  company: { _id: string; name: string }
  /** Projects in which the agent may work, oldest first. */
  projects: { _id: string; name: string }[]
}

/** The agent's own record; undefined when the user is gone. */
export async function findAgent(database: Database, user_id: string): Promise<AgentRecord | undefined> {
  const em = database.em()
  const user = await em.findOne(User, { _id: user_id })
  if (!user) return undefined
  const { _id, full_name, email, permissions, company_id } = user
  const [company, projects] = await Promise.all([
    em.findOneOrFail(Company, company_id),
    em.find(Project, { company_id }, { orderBy: { _id: 'asc' } }),
  ])
  return {
    user: { _id, full_name, email, permissions },
    company: { _id: company._id, name: company.name },
    projects: projects.map(({ _id, name }) => ({ _id, name })),
  }
}
