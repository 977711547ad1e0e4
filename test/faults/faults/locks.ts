/** Rows that commits need, locked by somebody else: a migration, an operator's forgotten transaction. */
import { type Database, literal } from '../../../storage/mod.ts'
import { sleep } from '../../parley/client.ts'
import { between } from '../chance.ts'
import type { ParleyNode } from '../node.ts'
import { anyOf, type Fault, isReady, longestGap, type Scene } from '../scene.ts'
import { within } from '../standby.ts'

/** Tenants with no row locked are served again within this. A lane learns of a lock by a lock_timeout of seconds. */
const SERVED_MS = 6000
/** A node of which nothing was committed for so long does not say that it is ready. */
const STUCK_MS = 8000
const LOCK_WITHIN = `set local lock_timeout = '1s'`

/** Rows of a project that its work changes: the condition says which. */
const ROWS: Record<string, (project: string) => string> = {
  contact: (project) => `project_id = ${project}`,
  subscription: (project) => `project_id = ${project}`,
  rate_window: (project) => `project_id = ${project}`,
}
const ROWS_OF_MESSAGES: typeof ROWS = {
  ...ROWS,
  message: (project) => `project_id = ${project} and status <> 'read' and created_at > now() - interval '10 seconds'`,
}
const ROWS_OF_TICKETS: typeof ROWS = {
  ...ROWS,
  ticket: (project) => `project_id = ${project} and not is_closed`,
}

/** Work goes on while a transaction of ours holds locks; ends with the lock released. */
async function whileLocked(
  scene: Scene,
  lock: (run: (sql: string) => Promise<unknown[]>) => Promise<number>,
  ms: number,
) {
  return within(scene.fleet.postgres, (database) =>
    database.em().transactional(async (em) => {
      await em.execute('set local idle_in_transaction_session_timeout = 0')
      await em.execute(LOCK_WITHIN)
      const count = await lock((sql) => em.execute<unknown[]>(sql))
      await sleep(ms)
      return count
    }),
  )
}

/** All rows of one tenant in one table. The others are to notice no more than a moment of it. */
const row: Fault = {
  async strike(scene) {
    const { random, busy, workload, found } = scene
    const ms = between(random, 3000, 20_000)
    const victim = anyOf(random, busy)
    const rows = workload === 'ingest' || workload === 'move' ? ROWS_OF_TICKETS : ROWS_OF_MESSAGES
    const table = anyOf(random, Object.keys(rows))
    const condition = rows[table]!(literal(victim.place.tenant.project_id))
    const from = Date.now()
    const count = await whileLocked(
      scene,
      async (run) => (await run(`select 1 from ${table} where ${condition} for update`)).length,
      ms,
    )
    const to = Date.now()
    const gaps = busy.filter((one) => one !== victim).map(({ running }) => longestGap(running.requests, { from, to }))
    const worst_ms = Math.max(...gaps)
    const what = `${count} rows of ${table} for ${ms} ms; others were not served for ${worst_ms} ms at most`
    if (worst_ms > SERVED_MS) found('surprise', `one tenant's locks held up others: ${what}`)
    return what
  },
}

/** A whole table, as by `create index`: nobody's contacts change, and the nodes say so. */
const table: Fault = {
  async strike(scene) {
    const { random } = scene
    const ms = between(random, 3000, 20_000)
    const name = anyOf(
      random,
      scene.workload === 'move' || scene.workload === 'ingest' ? ['ticket', 'contact'] : ['message', 'contact'],
    )
    const watched = watchLanes(scene)
    await whileLocked(scene, async (run) => (await run(`lock table ${name} in share mode`)).length, ms)
    await watched()
    return `${name} for ${ms} ms`
  },
}

/** Compares what nodes say of themselves with how long their commits have been waiting. */
function watchLanes(scene: Scene): () => Promise<void> {
  const { fleet, found } = scene
  let going = true
  const since = new Map<string, { commits: string; at: number }>()
  const told = new Set<string>()

  async function look(database: Database): Promise<void> {
    const waiting = await database.execute<{ node: string; commits: string }>(`
      select l.node, sum(l.commits)::text as commits from lane l where exists (
        select from pg_stat_activity a where a.query like 'select lane_fence(' || l.source || ',%' and a.state = 'active'
          and a.wait_event_type = 'Lock') group by 1`)
    const now = Date.now()
    for (const id of [...since.keys()]) if (!waiting.some(({ node }) => node === id)) since.delete(id)
    for (const { node: id, commits } of waiting) {
      const known = since.get(id)
      if (known?.commits !== commits) since.set(id, { commits, at: now })
      else if (now - known.at > STUCK_MS && !told.has(id)) {
        const node = await nodeOf(fleet.nodes, id, scene)
        if (!node || !(await isReady(node))) continue
        told.add(id)
        found('surprise', `${node.name} said that it is ready; it had committed nothing for ${now - known.at} ms`)
      }
    }
  }

  const watching = within(fleet.postgres, async (database) => {
    for (; going; await sleep(500)) await look(database)
  })
  return async () => {
    going = false
    await watching
  }
}

async function nodeOf(nodes: readonly ParleyNode[], id: string, { fleet }: Scene): Promise<ParleyNode | undefined> {
  const { body } = await fleet.world.operator('GET', 'cluster')
  const pid = (body?.nodes as { id: string; pid: number }[] | undefined)?.find((one) => one.id === id)?.pid
  return nodes.find((node) => node.pid === pid)
}

export const locks: Record<string, Fault> = { 'locked:row': row, 'locked:table': table }
