import { channelActor, type Providers } from '../../../actors/mod.ts'
import type { Outcome } from '../../../actors/providers/mod.ts'
import { defineActor, type NodeOptions } from '../../../runtime/mod.ts'
import { Channel, Company, Idempotency, objectId, Project } from '../../../storage/mod.ts'
import { heldCommits } from '../../runtime/support/held_commits.ts'
import { startNode } from '../../runtime/support/start_node.ts'
import { type Owner, testDatabase, testNats } from '../../support/mod.ts'

type Sent = { recipient: string; text: string }
type Item = { message_id: string }
type Projected = {
  send: { message: { recipient: string; text: string; bad: boolean }; reply: string }
  confirm: { message: { message_id: string; bad: boolean }; reply: void }
  messages_accepted: { message: { items: Item[] }; reply: void }
  messages_refused: { message: { items: Item[] }; reply: void }
  ended: { message: object; reply: Record<string, string[]> }
}
type Ended = Record<string, string[]>

/**
 * Starts a node with a channel and a stand-in for its project. A turn of the project with a `bad` message fails when it
 * is committed. `answer` is the provider.
 */
export async function startChannel(
  t: Owner,
  answer: (sent: Sent, count: number) => Outcome | Promise<Outcome>,
  options: Partial<NodeOptions> & { confirm_ms?: number } = {},
) {
  const { confirm_ms = 700, ...node_options } = options
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
  em.create(Channel, { ...account, is_active: true, status: 'connected', ...times } as never)
  await em.flush()

  const sent: Sent[] = []
  const provider = {
    pace: { per_second: 1000 },
    confirms: false,
    early_statuses: false,
    send(_credentials: object, request: Sent) {
      sent.push(request)
      return answer(request, sent.length)
    },
  }
  const channel = channelActor({ database, providers: { of: () => provider } as unknown as Providers, confirm_ms })
  const fail = (turn: { insert(entity: unknown, row: object): void; now: Date }) => {
    const row = { project_id, route: 'r', key: objectId(), body_hash: '', created_at: turn.now }
    turn.insert(Idempotency, { ...row, status: 'no number' })
  }
  const project = defineActor<Projected, Ended>({
    kind: 'project',
    early: { messages_accepted: [], messages_refused: [] },
    create: () => ({ accepted: [], refused: [] }),
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
        turn.state.accepted!.push(...items.map(({ message_id }) => message_id))
        turn.save()
      },
      messages_refused(turn, { items }) {
        turn.state.refused!.push(...items.map(({ message_id }) => message_id))
        turn.save()
      },
      ended: (turn) => turn.state,
    },
  })
  const node = await startNode(t, { database, nats }, [project, channel], { partitions: 1, ...node_options })
  const address = project.address(project_id)
  return {
    ...held,
    url,
    node,
    sent,
    channel_id,
    send: (recipient: string, text: string, bad = false) => node.ask(address, { type: 'send', recipient, text, bad }),
    confirm: (message_id: string, bad = false) => node.ask(address, { type: 'confirm', message_id, bad }),
    ended: () => node.ask(address, { type: 'ended' }),
    dispatches: () => opened.execute('select * from dispatch order by number'),
    query: (sql: string) => opened.execute(sql),
  }
}
