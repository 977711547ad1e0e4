/**
 * Our node with its real project and subscription actors. A message to the project takes the place of the request or
 * callback that makes an event in the product; this benchmark does not measure that part.
 */
import { OutboundGuard, Providers, projectActor, subscriptionActor, WebhookSender } from '../../../actors/mod.ts'
import { emit } from '../../../actors/project/turn/events.ts'
import { type ActorKind, Node } from '../../../runtime/mod.ts'
import { Company, type Database, migrate, openDatabase, Project, Subscription } from '../../../storage/mod.ts'
import { CONCURRENCY, EVENT_TYPE, SECRET } from './shape.ts'

/** A project, by its number, with one subscription, which posts to `url`. */
export type Receiver = { key: number; url: string }
export type Places = { database_url: string; nats_url: string }

type Options = Places & {
  receivers: Receiver[]
  /** Called after the commit that made a delivery final. `data` belongs to the delivery's event. */
  ended?: (data: { op: number }, ok: boolean) => void
}

export type DeliveringNode = {
  database: Database
  /** Makes an event in a project. Resolves when the event is committed. */
  happen(key: number, data: object): Promise<void>
  /** Returns the number of deliveries that arrived, as the store has it. */
  delivered(): Promise<number>
}

const COMPANY = 'c'.repeat(24)
const hex = (key: number) => key.toString(16).padStart(24, '0')

export const subscriptionId = (key: number) => `wh_${hex(key)}`

/** Starts a node on an empty database. */
export async function startDeliveringNode(options: Options): Promise<DeliveringNode> {
  const { database_url, nats_url, receivers, ended } = options
  const database = await openDatabase({ url: database_url, secret: 'a secret of the benchmarks alone' })
  await migrate(database)
  await store(database, receivers)
  const webhook_schedule = [0, 5, 300, 1_800, 7_200]
  const sender = new WebhookSender({ guard: new OutboundGuard({ allow_networks: ['127.0.0.0/8'] }) })
  const providers = new Providers()
  const project = projectActor({ database, webhook_schedule, base_url: 'http://127.0.0.1', providers })
  const subscription = subscriptionActor({ database, sender, schedule: webhook_schedule, base_url: '' })
  const kinds: ActorKind[] = [
    {
      ...project,
      receive: {
        ...project.receive,
        happen: (turn, { data }: { type: string; data: object }) => emit(turn as never, EVENT_TYPE, data, null),
      },
    },
    ended ? watched(subscription, ended) : subscription,
  ]
  const node = await Node.start({ database, nats_url, kinds, cluster: { alone: true } })
  return {
    database,
    async happen(key, data) {
      await node.ask(project.address(hex(key)) as never, { type: 'happen', data } as never)
    },
    async delivered() {
      const count = `select count(*)::int as count from delivery where status = 'success'`
      return (await database.execute<{ count: number }>(count))[0]!.count
    },
  }
}

/** Reports the result of each delivery. */
function watched(kind: ReturnType<typeof subscriptionActor>, ended: NonNullable<Options['ended']>): ActorKind {
  return {
    ...kind,
    receive: {
      ...kind.receive,
      attempted(turn, message) {
        const waiting = turn.state.queue.running.get(message.delivery_id)
        kind.receive.attempted(turn, message)
        if (!waiting || waiting.delivery.next_attempt_at !== null) return
        const op = Number(waiting.body.match(/"op":(\d+)/)?.[1])
        const ok = waiting.delivery.status === 'success'
        turn.after(() => ended({ op }, ok))
      },
    },
  } as ActorKind
}

async function store(database: Database, receivers: Receiver[]): Promise<void> {
  const em = database.em()
  const now = new Date()
  const times = { created_at: now, updated_at: now }
  const company_id = COMPANY
  em.create(Company, { _id: company_id, name: 'Benchmarks', ...times })
  await em.flush()
  const limits = { minute: 1e9, hour: 1e9, day: 1e9, ingest_minute: 1e9 }
  for (const { key } of receivers) {
    em.create(Project, { _id: hex(key), company_id, name: `Project ${key}`, limits, ...times })
  }
  await em.flush()
  for (const { key, url } of receivers) {
    const id = subscriptionId(key)
    em.create(Subscription, {
      id,
      company_id,
      project_id: hex(key),
      name: `Receiver ${key}`,
      url,
      events: [EVENT_TYPE],
      headers: null,
      mode: 'push',
      payload: 'full',
      format: 'standard',
      ed25519: false,
      disable_on_410: false,
      is_active: true,
      secret: database.vault.seal(id, 'secret', SECRET),
      secret_prefix: SECRET.slice(0, 12),
      ordering: 'none',
      concurrency: CONCURRENCY,
      user_id: null,
      recovery: null,
      failure_count: 0,
      disabled_reason: null,
      last_delivery_at: null,
      deleted_at: null,
      ...times,
    })
  }
  await em.flush()
}
