import t from 'tap'
import { readsOf } from '../../../actors/project/actor.ts'
import { keepMessage, messageReads, providerKey } from '../../../actors/project/messages/reads.ts'
import { RecentMessages } from '../../../actors/project/messages/recent_messages.ts'
import { Records } from '../../../actors/project/turn/records.ts'
import type { Message } from '../../../storage/mod.ts'

const messageOf = (fields: Partial<Message>) =>
  ({ id: 'msg_1', channel_id: 'c', direction: 'outbound', status: 'queued', message: {}, ...fields }) as Message

function stateOf() {
  return { project_id: 'p', company_id: 'o', channels: new Map([['c', { id: 'c' }]]), memory: new Map() } as never
}

/** Refuses every query. */
const no_database = {
  get orm() {
    throw new Error('a query')
  },
} as never

t.test('a kept message is found by its owner alone, under each of its keys', async (t) => {
  const recent = new RecentMessages()
  const [mine, theirs] = [{}, {}]
  const row = messageOf({ provider_message_id: 'wamid' })
  recent.keep(mine, row, ['msg_1', providerKey('c', 'wamid')])
  t.equal(recent.find(mine, 'msg_1'), row)
  t.equal(recent.find(mine, providerKey('c', 'wamid')), row)
  t.equal(recent.find(theirs, 'msg_1'), undefined)
  t.equal(recent.find(mine, 'msg_2'), undefined)
})

t.test('a row that was read anew replaces the one before', async (t) => {
  const recent = new RecentMessages()
  const owner = {}
  recent.keep(owner, messageOf({}), ['msg_1'])
  const anew = messageOf({ status: 'sent' })
  recent.keep(owner, anew, ['msg_1'])
  t.equal(recent.find(owner, 'msg_1'), anew)
})

t.test('the number of messages is bounded, and the youngest are kept', async (t) => {
  const recent = new RecentMessages(10)
  const owner = {}
  for (let n = 1; n <= 100; n++) recent.keep(owner, messageOf({ id: `msg_${n}` }), [`msg_${n}`])
  const kept = Array.from({ length: 100 }, (_, n) => n + 1).filter((n) => recent.find(owner, `msg_${n}`))
  t.ok(kept.length <= 20, `${kept.length} of 100 are kept`)
  t.same(kept.slice(-10), [91, 92, 93, 94, 95, 96, 97, 98, 99, 100])
})

t.test('a large message is not kept, and removes a smaller one under its id', async (t) => {
  const recent = new RecentMessages()
  const owner = {}
  recent.keep(owner, messageOf({}), ['msg_1'])
  recent.keep(owner, messageOf({ message: { body: 'x'.repeat(3_000) } }), ['msg_1'])
  t.equal(recent.find(owner, 'msg_1'), undefined)
})

t.test('answers and statuses of a recent message need no read; those of other messages do', async (t) => {
  const state = stateOf()
  const row = messageOf({ provider_message_id: 'wamid' })
  keepMessage(new Records(state), row)
  const answered = (message_id: string) => ({
    type: 'messages_accepted',
    items: [{ message_id, provider_message_id: 'wamid', at: 1, early_statuses: false }],
  })
  const read = (message: object, of = state) =>
    readsOf([message as never], of, new Date(), {} as never).run(no_database)
  const { rows } = (await read(answered('msg_1'))).of(messageReads)
  t.equal(rows.get('msg_1'), row)
  t.equal(rows.get(providerKey('c', 'wamid')), row)
  const query = { message: 'a query' }
  await t.rejects(read(answered('msg_2')), query)
  await t.rejects(read(answered('msg_1'), stateOf()), query, 'a state that was loaded anew remembers nothing')
})

t.test('messages from people are not kept', async (t) => {
  const state = stateOf()
  const records = new Records(state)
  keepMessage(records, messageOf({ direction: 'inbound' }))
  t.equal(records.of(messageReads).recent.find('msg_1'), undefined)
})
