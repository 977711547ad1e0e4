/** Real faults of load, versions, partitions, the broker and models: the alerts that alerts_fire.long.test.ts has no fault for. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect as connectNats } from '@nats-io/transport-node'
import t from 'tap'
import { partitionOf } from '../../runtime/mod.ts'
import { newPerson, openDesk } from '../e2e/assistant_desk.ts'
import { eventually, type Json, sleep } from '../e2e/client.ts'
import { made, makeTenant, type Tenant, text } from '../e2e/fixture.ts'
import { PARTITIONS, startJudgedCluster } from './judged_cluster.ts'
import { findPrometheus } from './prometheus.ts'

/** Open files of a process that has few. */
const FILES = 600

/** Makes a node say that it is of the next release. Modules may be joined to one file, so it changes what they read. */
const NEXT_RELEASE = `import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const read = fs.readFileSync
fs.readFileSync = (path, ...options) => {
  const found = read(path, ...options)
  const is_program = typeof found === 'string' && String(path).endsWith('/package.json')
  return is_program ? found.replace(/"version": "[^"]+"/, '"version": "0.2.0"') : found
}
syncBuiltinESMExports()`

const programs = await findPrometheus()
if (programs) await judge(programs)
else t.pass('prometheus is neither installed here nor to be had from Debian')

async function judge(programs: NonNullable<Awaited<ReturnType<typeof findPrometheus>>>): Promise<void> {
  const cluster = await startJudgedCluster(t, programs)
  const { database, fires, calm, nodes, places, start, tenant, world, real, nats, prometheus } = cluster

  /** Does something again and again until the alerts have fired. */
  async function during(work: () => Promise<unknown>, firing: Promise<void>): Promise<void> {
    let is_over = false
    const going = (async () => {
      while (!is_over) await work()
    })()
    try {
      await firing
    } finally {
      is_over = true
      await going
    }
  }

  t.test('a node of the next release, and more connections than it may have', async (t) => {
    await nodes[1]!.end('SIGTERM')
    const flags = [`--import=data:text/javascript,${encodeURIComponent(NEXT_RELEASE)}`]
    await start(1, { flags, under: ['prlimit', `--nofile=${FILES}:${FILES}`] })
    await fires(t, 'ParleyVersionsMixed')
    const sockets: Socket[] = []
    const open = async () => {
      const socket = connect(places[1]!.port, '127.0.0.1').on('error', () => {})
      sockets.push(socket)
      await once(socket, 'connect')
      socket.write('GET /health HTTP/1.1\r\nHost: x\r\n')
      await sleep(2)
    }
    await during(open, fires(t, 'ParleyConnectionsRefused', 'ParleyFilesRunOut'))
    for (const socket of sockets) socket.destroy()
    await nodes[1]!.end('SIGTERM')
    await start(1)
    await calm()
  })

  t.test('a primary that waits for a standby', async (t) => {
    const set = async (names: string) => {
      // It holds no commit up: it is no transaction.
      await database.execute(`alter system set synchronous_standby_names = '${names}'`)
      await database.execute('select pg_reload_conf()')
    }
    await set('away')
    const asked: Promise<unknown>[] = []
    const ask = async () => {
      const calls = [newPerson(), newPerson()].map((to) => tenant.send(to))
      asked.push(...calls.map((call) => call.catch(() => {})))
      await sleep(10)
    }
    try {
      await during(ask, fires(t, 'ParleyCommitsStuck'))
    } finally {
      await set('')
    }
    await Promise.all(asked)
    await fires(t, 'ParleySendsAcceptedSlowly')
    await calm()
  })

  t.test('a client with too many polls', async (t) => {
    const { id } = await made(
      tenant.api('POST', 'webhooks', { name: 'Polled', mode: 'poll', events: ['crm.contact.created'] }),
    )
    const asked: Promise<unknown>[] = []
    const ask = async () => {
      asked.push(tenant.api('GET', `webhooks/${id}/poll?wait=2`).catch(() => {}))
      await sleep(20)
    }
    await during(ask, fires(t, 'ParleyRequestsShed'))
    await Promise.all(asked)
    await calm()
  })

  t.test('a column that the database lacks', async (t) => {
    await database.execute('alter table dispatch rename column request_id to another')
    await made(tenant.send('+15550310000'))
    await fires(t, 'ParleyMessagesHeld')
    await database.execute('alter table dispatch rename column another to request_id')
    await calm()
  })

  /** The owner of each partition, once both nodes have as many. */
  const settledOwners = () =>
    eventually('both nodes own as many partitions', async () => {
      const owners = await database.execute<{ id: number; owner: string }>('select id, owner from partition')
      const alive = (await made(world.operator('GET', 'cluster'))).nodes as Json[]
      const shares = alive.map(({ id }) => owners.filter(({ owner }) => owner === id).length)
      return alive.length === 2 && shares.every((share) => share === PARTITIONS / 2) && { owners, alive }
    })

  /** A tenant whose project and channel have different owners. `dying`: the owner of the channel. */
  async function splitTenant(owners: { id: number; owner: string }[], dying?: string): Promise<Tenant> {
    const ownerOf = (address: string) => owners.find(({ id }) => id === partitionOf(address, PARTITIONS))!.owner
    return eventually('a project and its channel have different owners', async () => {
      const one: Tenant = await makeTenant(world)
      const [of_project, of_channel] = [`project/${one.project_id}`, `channel/${one.number.channel_id}`].map(ownerOf)
      return of_project !== of_channel && (dying === undefined || of_channel === dying) && one
    })
  }

  t.test('a broker whose limits are spent', async (t) => {
    const split = await splitTenant((await settledOwners()).owners)
    const connection = await connectNats({ servers: nats.url, token: new URL(nats.url).username })
    const manager = await jetstreamManager(connection)
    const names = await manager.streams.names().next()
    const transports = names.filter((name) => name.includes('transport'))
    for (const name of transports) await manager.streams.update(name, { max_msg_size: 1 })
    await during(() => made(split.send(newPerson())), fires(t, 'ParleyBrokerLosesMessages'))
    for (const name of transports) await manager.streams.update(name, { max_msg_size: -1 })
    await connection.close()
    await calm()
  })

  t.test('models that fail, and a budget that is spent', async (t) => {
    const other = await makeTenant(world)
    const desk = await openDesk(world, other)
    const mark = `broken ${newPerson()}`
    await desk.script(mark, { fault: 500, times: 10_000 })
    const ask = async () => {
      await desk.says(newPerson(), mark)
      await sleep(300)
    }
    await during(ask, fires(t, 'ParleyModelsFail', 'ParleyAssistantsFail'))
    await made(other.api('PATCH', `assistants/${desk.id}`, { budget: { day_tokens: 1 } }))
    await during(ask, fires(t, 'ParleyBudgetSpent'))
    await calm()
  })

  t.test('documents that cannot be indexed', async (t) => {
    await database.execute(`
      create function refuse_claim() returns trigger language plpgsql as $$
      begin
        if new.claimed_by is not null then raise exception 'no room' using errcode = '53100'; end if;
        return new;
      end $$;
      create trigger refuse before update on knowledge_reindex for each row execute function refuse_claim()`)
    await made(tenant.api('POST', 'knowledge/nodes', { type: 'document', name: 'Prices', content: 'Two euros' }))
    await database.execute(`update knowledge_reindex set due_at = now() - interval '1 hour', claimed_by = null`)
    await fires(t, 'ParleyKnowledgeLate')
    await database.execute('drop trigger refuse on knowledge_reindex; drop function refuse_claim')
    await calm()
  })

  t.test('partitions that no node takes over', async (t) => {
    // The other one tells the figures of the cluster, among them this.
    const told = await eventually(
      'a node tells the figures',
      async () => (await prometheus.query('parley_partitions_unowned'))[0],
    )
    const index = told.metric.instance!.endsWith(String(places[0]!.metrics_port)) ? 1 : 0
    const { owners, alive } = await settledOwners()
    const { id: dying } = alive.find(({ pid }) => pid === nodes[index]!.pid)!
    // The project works, and what it sends waits: its channel has no owner.
    const half = await splitTenant(owners, dying)
    await database.execute(`
      create function refuse_owner() returns trigger language plpgsql as $$
      begin return case when new.owner is distinct from old.owner then null else new end; end $$;
      create trigger refuse before update on partition for each row execute function refuse_owner()`)
    await nodes[index]!.end('SIGKILL')
    await fires(t, 'ParleyPartitionsUnowned')
    const json = { channel: 'whatsapp', to: newPerson(), message: text('Hi') }
    const url = `http://127.0.0.1:${places[1 - index]!.port}/v1/messages`
    await made(cluster.http('POST', url, { json, token: half.token }))
    await database.execute(`update outbox set created_at = now() - interval '10 minutes'`)
    const left = owners.filter(({ owner }) => owner === dying).map(({ id }) => id)
    await database.execute(
      `update timer set due_at = date_trunc('milliseconds', now()) - interval '10 minutes' where partition in (${left.join(', ')})`,
    )
    await fires(t, 'ParleyOutboxLate', 'ParleyTimersLate')
    await database.execute('drop trigger refuse on partition; drop function refuse_owner')
    await start(index)
    await calm()
  })

  t.test('all of them but a pool that is full', async (t) => {
    t.equal(real.size, 15, [...real].join(', '))
  })
}
