import { channelActor, type Providers } from '../../../actors/mod.ts'
import type { Outcome, Provider } from '../../../actors/providers/mod.ts'
import { defineActor, type NodeOptions } from '../../../runtime/mod.ts'
import { Channel, Company, Idempotency, objectId, Project } from '../../../storage/mod.ts'
import { heldCommits } from '../../runtime/support/held_commits.ts'
import { startNode } from '../../runtime/support/start_node.ts'
import { type Owner, testDatabase, testNats } from '../../support/mod.ts'

type Sent = { recipient: string; text: string }
type Item = { message_id: string; confirmed?: boolean }
type Projected = {
  send: { message: { recipient: string; text: string; bad: boolean }; reply: string }
  confirm: { message: { message_id: string; bad: boolean }; reply: void }
  messages_accepted: { message: { items: Item[] }; reply: void }
  messages_refused: { message: { items: Item[] }; reply: void }
  channel_status: { message: { status: string }; reply: void }
  refresh: { message: { what: string; id: string }; reply: void }
  ended: { message: object; reply: Record<string, string[]> }
}
type Ended = Record<string, string[]>
/** `max_ms`: of a send. `probe` answers the channel's probes. */
type Tested = {
  confirm_ms?: number
  confirms?: boolean
  settles_doubt?: Provider['settles_doubt']
  /** Callbacks have arrived so far. */
  has_heard?: boolean
  max_ms?: number
  /** Maximum messages in memory. */
  max_items?: number
  probe_ms?: number
  probe?: () => Promise<object>
}

/**
 * Starts a node with a channel and a stand-in for its project. A turn of the project with a `bad` message fails when it
 * is committed. `answer` is the provider.
 */
export async function startChannel(
  t: Owner,
  answer: (sent: Sent, count: number) => Outcome | Promise<Outcome>,
  options: Partial<NodeOptions> & Tested = {},
) {
  const { confirm_ms = 700, confirms = false, max_ms = 0, probe_ms, probe, ...others } = options
  const { settles_doubt = 'callback', has_heard = true, max_items, ...node_options } = others
  const { database: opened, url } = await testDatabase(t, { pool_size: 8 })
  const held = heldCommits(opened)
  const { database } = held
  const nats = await testNats(t)
  const [company_id, project_id, channel_id] = [objectId(), objectId(), objectId()]
  const times = { created_at: new Date(), updated_at: new Date() }
  const em = database.em()
  em.create(Company, { _id: company_id, name: 'Acme', ...times })
  await em.flush()
  const limits = { minute: 1e6, hour: 1e6, day: 1e6, ingest_minute: 1e6 }
  em.create(Project, { _id: project_id, company_id, name: 'Support', limits, ...times })
  await em.flush()
  const account = { _id: channel_id, company_id, project_id, channel_type: 'whatsapp', provider: 'fake', name: 'Fake' }
  const state = { is_active: true, status: 'connected', callbacks_heard_at: has_heard ? new Date() : null }
  em.create(Channel, { ...account, ...state, ...times } as never)
  await em.flush()

  const sent: Sent[] = []
  /** Those of each call. */
  const credentials: object[] = []
  const provider = {
    pace: { per_second: 1000 },
    confirms,
    settles_doubt,
    early_statuses: false,
    probe,
    maxSend: () => max_ms,
    send(given: object, request: Sent) {
      credentials.push(given)
      sent.push(request)
      return answer(request, sent.length)
    },
  }
  const providers = { of: () => provider } as unknown as Providers
  const channel = channelActor({ database, providers, confirm_ms, probe_ms, max_items })
  const fail = (turn: { insert(entity: unknown, row: object): void; now: Date }) => {
    const row = { project_id, route: 'r', key: objectId(), body_hash: '', created_at: turn.now }
    turn.insert(Idempotency, { ...row, status: 'no number' })
  }
  const project = defineActor<Projected, Ended>({
    kind: 'project',
    early: { messages_accepted: [], messages_refused: [] },
    create: () => ({ accepted: [], unconfirmed: [], refused: [], statuses: [], refreshed: [] }),
    receive: {
      send(turn, { recipient, text, bad }) {
        const message_id = `msg_${objectId()}`
        const request = { recipient, text }
        const dispatch = { type: 'dispatch', project_id, message_id, recipient, request }
        turn.tell(channel.address(channel_id), dispatch)
        if (bad) fail(turn as never)
        return message_id
      },
      confirm(turn, { message_id, bad }) {
        turn.tell(channel.address(channel_id), { type: 'confirmed', message_id, provider_message_id: '' } as never)
        if (bad) fail(turn as never)
      },
      messages_accepted(turn, { items }) {
        for (const { message_id, confirmed } of items)
          (confirmed === false ? turn.state.unconfirmed! : turn.state.accepted!).push(message_id)
        turn.save()
      },
      messages_refused(turn, { items }) {
        turn.state.refused!.push(...items.map(({ message_id }) => message_id))
        turn.save()
      },
      channel_status(turn, { status }) {
        turn.state.statuses!.push(status)
        turn.save()
      },
      refresh(turn, { id }) {
        turn.state.refreshed!.push(id)
        turn.save()
      },
      ended: (turn) => turn.state,
    },
  })
  const start = () => startNode(t, { database, nats }, [project, channel], { partitions: 1, ...node_options })
  let node = await start()
  const address = project.address(project_id)
  return {
    ...held,
    url,
    get node() {
      return node
    },
    sent,
    credentials,
    project_id,
    channel_id,
    /** Stops the node, and starts another one. `between` is done in between. */
    async restart(between?: () => Promise<unknown>) {
      await node.stop(1000)
      await between?.()
      node = await start()
    },
    /** Asks the channel. */
    ask: (message: { type: string }) => node.ask(`channel/${channel_id}`, message as never) as Promise<unknown>,
    channel: async () => (await opened.execute('select * from channel'))[0],
    /** Stores other credentials, as an operator does. */
    async renew(credentials: object) {
      const sealed = opened.vault.seal(channel_id, 'credentials', JSON.stringify(credentials))
      await opened.execute('update channel set credentials = ?', [sealed])
    },
    send: (recipient: string, text: string, bad = false) => node.ask(address, { type: 'send', recipient, text, bad }),
    confirm: (message_id: string, bad = false) => node.ask(address, { type: 'confirm', message_id, bad }),
    ended: () => node.ask(address, { type: 'ended' }),
    dispatches: () => opened.execute('select * from dispatch order by number'),
    query: (sql: string) => opened.execute(sql),
  }
}
