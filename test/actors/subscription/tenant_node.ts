import { Providers, projectActor, subscriptionActor } from '../../../actors/mod.ts'
import { emit } from '../../../actors/project/turn/events.ts'
import type { AttemptResult } from '../../../actors/webhook/mod.ts'
import type { ActorKind, Node } from '../../../runtime/mod.ts'
import { Company, Idempotency, objectId, Project, Token, User } from '../../../storage/mod.ts'
import { heldCommits } from '../../runtime/support/held_commits.ts'
import { startNode } from '../../runtime/support/start_node.ts'
import { until } from '../../runtime/support/wait.ts'
import { type Owner, testDatabase, testNats } from '../../support/mod.ts'

/** A type of event that subscriptions may listen to. */
const HAPPENED = 'crm.note.created'

export type Posted = { event_id: string; delivery_id: string; attempt: number; url: string; secret: string }
type Answer = Partial<AttemptResult> | Promise<Partial<AttemptResult>>

const SUCCESS: AttemptResult = {
  outcome: 'success',
  status_code: 200,
  duration_ms: 1,
  error: null,
  retry_after_s: undefined,
  excerpt: '',
  headers_sent: {},
}

/**
 * Starts a node with a project and its subscriptions. An event happens in a turn of the project, whose commit fails when
 * the event is `bad`. `answer` answers the attempts to deliver; the default is a success.
 */
export async function startTenant(t: Owner, options: { schedule?: number[]; providers?: Providers } = {}) {
  const { database: opened, url } = await testDatabase(t, { pool_size: 8 })
  const held = heldCommits(opened)
  const { database } = held
  const nats = await testNats(t)
  const [company_id, project_id, user_id, token_id] = [objectId(), objectId(), objectId(), objectId()]
  const times = { created_at: new Date(), updated_at: new Date() }
  const em = database.em()
  const limits = { minute: 1e6, hour: 1e6, day: 1e6, ingest_minute: 1e6 }
  em.create(Company, { _id: company_id, name: 'Acme', ...times })
  await em.flush()
  em.create(Project, { _id: project_id, company_id, name: 'Support', limits, ...times })
  em.create(User, {
    _id: user_id,
    company_id,
    full_name: 'Ana',
    email: 'ana@example.com',
    permissions: [],
    is_active: true,
    ...times,
  })
  await em.flush()
  const token = { _id: token_id, company_id, project_id, user_id, name: 'Token', prefix: '', hash: '', scopes: [] }
  em.create(Token, { ...token, ...times })
  await em.flush()

  const schedule = options.schedule ?? [0, 5, 300]
  const own = new Providers()
  t.teardown(() => own.close())
  const providers = options.providers ?? own
  const project = projectActor({ database, webhook_schedule: schedule, base_url: '', providers })
  const posted: Posted[] = []
  let answer: (posted: Posted) => Answer = () => ({})
  const sender = {
    async attempt(request: Posted): Promise<AttemptResult> {
      posted.push(request)
      return { ...SUCCESS, ...(await answer(request)) }
    },
  }
  const subscription = subscriptionActor({ database, sender: sender as never, schedule, base_url: '' })
  const kinds: ActorKind[] = [
    {
      ...project,
      receive: {
        ...project.receive,
        happen(turn, { data, bad }: { type: string; data: object; bad: boolean }) {
          emit(turn as never, HAPPENED, data, null)
          const row = { project_id, route: 'r', key: objectId(), body_hash: '', created_at: turn.now }
          if (bad) turn.insert(Idempotency, { ...row, status: 'no number' as never })
        },
      },
    },
    subscription,
  ]
  const start = () => startNode(t, { database, nats }, kinds, { partitions: 1 })
  let node: Node = await start()
  const address = project.address(project_id)
  const happen = (data: object, bad = false) => node.ask(address as never, { type: 'happen', data, bad } as never)
  const request = async (command: object) => {
    const asked = { type: 'request', token_id, pool: 'exempt', command }
    const reply = (await node.ask(address as never, asked as never)) as {
      result: { body: { id: string; secret: string } }
    }
    return reply.result.body
  }
  const subscribe = (path: string, fields: object = {}) =>
    request({
      type: 'create_webhook',
      name: path,
      url: `https://example.com/${path}`,
      events: [HAPPENED],
      headers: {},
      is_active: true,
      ordering: 'none',
      concurrency: 8,
      ...fields,
    })
  return {
    ...held,
    url,
    get node() {
      return node
    },
    /** Stops the node, and starts another one. `between` is done in between. */
    async restart(between: () => Promise<unknown>) {
      await node.stop(1000)
      await between()
      node = await start()
    },
    query: (sql: string) => opened.execute(sql),
    project_id,
    posted,
    address,
    subscription,
    happen,
    request,
    subscribe,
    answerWith(how: (posted: Posted) => Answer) {
      answer = how
    },
    /** Resolves to the deliveries once there are `count`, all with this status. */
    delivered: (count: number, status = 'success', ms = 5000) =>
      until(async () => {
        const rows = await opened.execute('select * from delivery order by id')
        return rows.length === count && rows.every((row) => row.status === status) && rows
      }, ms),
  }
}
