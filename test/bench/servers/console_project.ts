/** A project with agents who are signed in. */
import pg from 'pg'
import { hashOf, newSecret } from '../../../http/server/auth/cookie.ts'
import { beginSession, openDatabase, User } from '../../../storage/mod.ts'
import type { Cluster } from './cluster.ts'

/** A session has 100 sockets at most. */
const SESSIONS = 100

export type ConsoleProject = { company_id: string; project_id: string; token: string; cookies: string[] }

/** Makes the project, with a token of these scopes. Each cookie is that of another agent. */
export async function openConsoleProject(cluster: Cluster, scopes: string[]): Promise<ConsoleProject> {
  const [project] = await cluster.openProjects(1, scopes, 'simulator', 'http://127.0.0.1:1')
  const { project_id, token } = project!
  const client = new pg.Client({ connectionString: cluster.database_url })
  await client.connect()
  const { rows } = await client.query('select company_id from project where _id = $1', [project_id])
  await client.end()
  const { company_id } = rows[0]
  return { company_id, project_id, token, cookies: await signIn(cluster, company_id) }
}

async function signIn(cluster: Cluster, company_id: string): Promise<string[]> {
  const database = await openDatabase({ url: cluster.database_url, pool_size: 2 })
  try {
    const cookies: string[] = []
    const password_hash = 'scrypt:…'
    for (let n = 0; n < SESSIONS; n++) {
      const user = { company_id, full_name: `Agent ${n}`, email: `agent-${n}@example.com` }
      const { _id } = (await cluster.admin('POST', '/users', { ...user, permissions: ['console.agent'] })) as {
        _id: string
      }
      await database.em().nativeUpdate(User, _id, { password_hash })
      const secret = newSecret()
      await beginSession(database, { hash: hashOf(secret), user_id: _id, password_hash })
      cookies.push(`parley_session=${secret}`)
    }
    return cookies
  } finally {
    await database.close()
  }
}
