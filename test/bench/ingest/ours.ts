import pg from 'pg'
import type { Peer } from '../peer.ts'
import { openProject, type Parley, startParley, UNLIMITED } from '../servers/parley.ts'
import { ingestingPeer } from './ingesting_peer.ts'
import { seedPeople } from './seed.ts'
import { EVENT_TYPE, FIELDS, PEOPLE, type Person } from './shape.ts'

/** A Parley node with one project of many contacts, and many projects with one contact each. */
export function parleyPeer(): Peer {
  return ingestingPeer('parley', async (directory) => {
    const node = await startParley(directory)
    const scopes = ['crm:events:write', 'crm:events:read']
    const hot = await openProject(node, scopes)
    const database = new pg.Client({ connectionString: node.database_url })
    await database.connect()
    const { company_id } = (await database.query('select company_id from project where _id = $1', [hot.project_id]))
      .rows[0]
    await node.admin('POST', '/event-types', { company_id, key: EVENT_TYPE, name: 'Order shipped', fields: FIELDS })
    const projects = await openProjects(node, database, company_id, scopes)
    const ids = await seedPeople(database, company_id, [hot.project_id], PEOPLE)
    const many = await seedPeople(
      database,
      company_id,
      projects.map(({ project_id }) => project_id),
      1,
    )
    await database.end()
    return {
      port: node.port,
      hot: ids.map((chat_user_id) => ({ chat_user_id, token: hot.token })),
      many: many.map((chat_user_id, n): Person => ({ chat_user_id, token: projects[n]!.token })),
      database_url: node.database_url,
      processes: { parley: node.child.pid },
      stop: node.child.stop,
    }
  })
}

/** Makes further projects of the company. */
async function openProjects({ admin }: Parley, database: pg.Client, company_id: string, scopes: string[]) {
  const owners = await database.query('select _id from "user" where company_id = $1', [company_id])
  const user_id = owners.rows[0]._id
  const numbers = Array.from({ length: PEOPLE }, (_, n) => n)
  const opened: { project_id: string; token: string }[] = []
  // The projects are made a few at a time.
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let n = numbers.pop(); n !== undefined; n = numbers.pop()) {
        const project = await admin('POST', '/projects', { company_id, name: `Project ${n}`, limits: UNLIMITED })
        const project_id = String(project._id)
        const { token } = await admin('POST', '/tokens', { project_id, user_id, name: 'Token', scopes })
        opened.push({ project_id, token: String(token) })
      }
    }),
  )
  return opened
}
