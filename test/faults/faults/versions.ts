/**
 * Nodes of another version beside ours: they send messages that ours do not know, and their tables differ a little from
 * ours.
 */
import { partitionOf } from '../../../runtime/mod.ts'
import { literal } from '../../../storage/mod.ts'
import { sleep } from '../../e2e/client.ts'
import { between } from '../chance.ts'
import { PARTITIONS, rebuild } from '../fleet.ts'
import { NEW_KIND, NEW_TYPE } from '../newer_version.ts'
import { anyOf, type Fault, type Scene } from '../scene.ts'
import { within } from '../servers.ts'
import { watchService } from '../service.ts'

/** Tries to lock a table: a change of the table waits for the work under way there. */
const LOCK_TRIES = 50
/** Milliseconds without service that tenants without new messages may see. */
const SERVED_MS = 8000

/**
 * Sends a message of a future kind or type as a node of the next version commits it: numbered, under a lane of its own.
 */
async function sendNews({ fleet, busy }: Scene): Promise<number> {
  const addresses = busy.flatMap(({ place }, n) => [`project/${place.tenant.project_id}`, `${NEW_KIND}/${n}`])
  const message = literal(JSON.stringify({ type: NEW_TYPE }))
  await within(fleet.postgres, async (run) => {
    const [lane] = await run<{ source: string }>(`insert into lane (node) values ('newer') returning source`)
    const numbers = new Map<number, number>()
    const rows = addresses.map((address) => {
      const partition = partitionOf(address, PARTITIONS)
      const number = (numbers.get(partition) ?? 0) + 1
      numbers.set(partition, number)
      return `(${partition}, ${lane!.source}, ${number}, ${literal(address)}, ${message})`
    })
    await run(`insert into outbox (partition, source, number, address, message) values ${rows.join()}`)
  })
  return addresses.length
}

/**
 * Sends messages of an unknown kind. They are held until a version comes that knows them, and nothing else waits for
 * that.
 */
const kinds: Fault = {
  needs: () => ({ newer: false }),
  async strike(scene) {
    const { fleet, random, busy, found } = scene
    const ms = between(random, 2000, 10_000)
    const others = watchService(
      fleet,
      fleet.places.filter((place) => busy.every((one) => one.place !== place)),
    )
    const count = await sendNews(scene)
    await sleep(ms)
    const { gap_ms } = await others.worst()
    if (gap_ms > SERVED_MS) found('surprise', `what one actor does not know held up others for ${gap_ms} ms`)
    for (const row of await fleet.database.execute('select address, error from dead_letter limit 3'))
      found('lost', `parked, since its type is not known yet: ${JSON.stringify(row)}`)
    await rebuild(fleet, { newer: true })
    return `${count} messages of the next version, which all nodes were ${ms} ms later`
  },
}

/** Columns of the tables that the work writes. */
const COLUMNS: Record<string, [table: string, column: string][]> = {
  messages: [
    ['message', 'status'],
    ['dispatch', 'attempts'],
    ['event', 'subscription_ids'],
    ['delivery', 'status'],
  ],
  tickets: [
    ['ticket', 'version'],
    ['crm_event', 'chat_user'],
    ['event', 'subscription_ids'],
    ['delivery', 'status'],
  ],
}
const FUNCTIONS = ['lane_send', 'lane_settle']

/**
 * Removes a column or function for a while, as before or after a migration. The messages that need it are not at fault.
 */
const schema: Fault = {
  async strike(scene) {
    const { fleet, random, workload, found } = scene
    const ms = between(random, 2000, 10_000)
    const columns = COLUMNS[workload === 'ingest' || workload === 'move' ? 'tickets' : 'messages']!
    const renames = [
      ...columns.map(([table, column]) => ({
        what: `${table}.${column}`,
        away: `alter table ${table} rename column ${column} to ${column}_away`,
        back: `alter table ${table} rename column ${column}_away to ${column}`,
      })),
      ...FUNCTIONS.map((name) => ({
        what: name,
        away: `alter function ${name} rename to ${name}_away`,
        back: `alter function ${name}_away rename to ${name}`,
      })),
    ]
    const { what, away, back } = anyOf(random, renames)
    await change(scene, away)
    try {
      await sleep(ms)
    } finally {
      await change(scene, back)
    }
    for (const row of await fleet.database.execute('select address, error from dead_letter limit 3'))
      found('lost', `parked, without a fault of its own: ${JSON.stringify(row)}`)
    return `${what} away for ${ms} ms`
  },
}

async function change({ fleet }: Scene, sql: string): Promise<void> {
  await within(fleet.postgres, async (run) => {
    await run(`set lock_timeout = '200ms'`)
    for (let tries = 1; ; tries++) {
      try {
        await run(sql)
        return
      } catch (error) {
        if (tries === LOCK_TRIES) throw error
        await sleep(100)
      }
    }
  })
}

export const versions: Record<string, Fault> = { 'version:kinds': kinds, 'version:schema': schema }
