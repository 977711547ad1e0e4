/** Rows that commits need, locked by somebody else: a migration, or an operator's forgotten transaction. */
import { literal } from '../../../storage/mod.ts'
import { sleep } from '../../e2e/client.ts'
import { between } from '../chance.ts'
import type { ParleyNode } from '../node.ts'
import { anyOf, type Fault, isReady, type Scene } from '../scene.ts'
import { type Run, within } from '../servers.ts'
import { watchService } from '../service.ts'

/**
 * Milliseconds in which tenants without a locked row are served again. A commit waits for a lock no longer than some
 * seconds.
 */
const SERVED_MS = 8000
/** Milliseconds without a commit after which a node reports that it is not ready. */
const STUCK_MS = 8000
/** Milliseconds in which a commit that gave up on a lock is seen to wait for one again. */
const WAITED_MS = 3000
const LOCK_WITHIN = `set local lock_timeout = '1s'`

/** Rows that the work of a project is about to change. */
const ROWS: Record<string, (project: string) => string> = {
  rate_window: (project) => `rate_window where project_id = ${project}`,
  message: (project) =>
    `message where project_id = ${project} and direction = 'outbound' and status in ('queued', 'sent', 'delivered')`,
  contact: (project) => `contact where project_id = ${project}`,
  ticket: (project) => `ticket where project_id = ${project} and not is_closed`,
}
const CHANGED: Record<string, (keyof typeof ROWS)[]> = {
  send: ['rate_window', 'message'],
  inbound: ['rate_window', 'contact'],
  deliver: ['rate_window', 'message', 'contact'],
  ingest: ['rate_window', 'ticket'],
  move: ['rate_window', 'ticket'],
}
const TABLES: Record<string, string[]> = {
  send: ['message', 'dispatch'],
  inbound: ['message', 'contact'],
  deliver: ['message', 'delivery'],
  ingest: ['ticket', 'crm_event'],
  move: ['ticket', 'crm_event'],
}
/** Tries to find a message in a status that lasts only a moment. */
const TRIES = 100

/** Lets the work go on while a transaction of ours holds locks. Ends with the locks released. */
async function whileLocked(scene: Scene, lock: (run: Run) => Promise<number>, ms: number): Promise<number> {
  return within(scene.fleet.postgres, async (run) => {
    await run('begin')
    await run(LOCK_WITHIN)
    const count = await lock(run)
    await sleep(ms)
    await run('rollback')
    return count
  })
}

/** Locks all rows of one tenant in one table. Other tenants may notice no more than a moment. */
const row: Fault = {
  async strike(scene) {
    const { fleet, random, busy, workload, found } = scene
    const ms = between(random, 3000, 20_000)
    const { place } = anyOf(random, busy)
    const table = anyOf(random, CHANGED[workload]!)
    const rows = ROWS[table]!(literal(place.tenant.project_id))
    const others = watchService(
      fleet,
      fleet.places.filter((one) => one !== place),
    )
    const count = await whileLocked(scene, (run) => untilSome(() => run(`select 1 from ${rows} for update`)), ms)
    const { gap_ms } = await others.worst()
    const what = `${count} rows of ${table} for ${ms} ms; others were not served for ${gap_ms} ms at most`
    if (gap_ms > SERVED_MS) found('surprise', `one tenant's locks held up others: ${what}`)
    return what
  },
}

async function untilSome(look: () => Promise<unknown[]>): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const rows = await look()
    if (rows.length > 0) return rows.length
    await sleep(5)
  }
  return 0
}

/** Locks a whole table, as `create index` does: nothing is written to it, and the nodes report that they are stuck. */
const table: Fault = {
  async strike(scene) {
    const { random } = scene
    const ms = between(random, 3000, 20_000)
    const name = anyOf(random, TABLES[scene.workload]!)
    const watched = watchLanes(scene)
    await whileLocked(scene, async (run) => (await run(`lock table ${name} in share mode`)).length, ms)
    await watched()
    return `${name} for ${ms} ms`
  },
}

/** Compares the nodes' reports with the time that their commits have been waiting. */
function watchLanes(scene: Scene): () => Promise<void> {
  const { fleet, found } = scene
  let going = true
  const lanes = new Map<string, { commits: string; since: number; waited_at: number }>()
  const told = new Set<string>()

  async function look(run: Run): Promise<void> {
    const rows = await run<{ node: string; commits: string; waits: boolean }>(`
      select l.node, max(l.source) || ' ' || sum(l.commits) as commits, bool_or(exists (
        select from pg_stat_activity a where a.query like '%lane_fence(' || l.source || ',%' and a.state = 'active'
          and a.wait_event_type = 'Lock')) as waits from lane l group by 1`)
    const now = Date.now()
    for (const { node: id, commits, waits } of rows) {
      const known = lanes.get(id)
      const is_same = known?.commits === commits
      const since = is_same ? known.since : now
      const waited_at = waits ? now : is_same ? known.waited_at : 0
      lanes.set(id, { commits, since, waited_at })
      if (told.has(id) || now - since < STUCK_MS || now - waited_at > WAITED_MS) continue
      const node = await nodeOf(fleet.nodes, id, scene)
      if (!node || !(await isReady(node))) continue
      told.add(id)
      found('surprise', `${node.name} says that it is ready, having committed nothing for ${now - since} ms`)
    }
  }

  const watching = within(fleet.postgres, async (run) => {
    for (; going; await sleep(300)) await look(run)
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
