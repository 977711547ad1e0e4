/**
 * The provider's answer and its callbacks in one turn, in either order. The tests call the turn directly, because the
 * case is too rare from outside.
 */
import t from 'tap'
import { keepEarly } from '../../actors/project/messages/early_statuses.ts'
import { messagesAccepted } from '../../actors/project/messages/messages_accepted.ts'
import { messagesRefused } from '../../actors/project/messages/messages_refused.ts'
import { keepMessage, messageReads, watermarkKey } from '../../actors/project/messages/reads.ts'
import { statusReported } from '../../actors/project/messages/status_reported.ts'
import { Records } from '../../actors/project/turn/records.ts'
import { Subscriptions } from '../../actors/project/turn/subscriptions.ts'
import type { Json } from './client.ts'

const NOW = new Date('2026-01-31T12:00:10Z')
const TAKEN = Date.parse('2026-01-31T12:00:05Z')
const channel = { id: 'c', channel_type: 'messenger', provider: 'cloud' }
const context = { providers: { of: () => ({ early_statuses: true }) } } as never

/** Makes a turn that has read one queued message, and writes its decisions into `patch`. */
function turnWith(message: Json = {}) {
  const row: Json = { id: 'msg_1', direction: 'outbound', channel: 'messenger', channel_id: 'c', chat_user: 'p' }
  Object.assign(row, { status: 'queued', created_at: new Date('2026-01-31T12:00:00Z'), message: {}, to: 'p' }, message)
  const records = new Records({ memory: new Map() } as never)
  records.of(messageReads).unread.set(watermarkKey('c', { user_id: 'p' }), [keepMessage(records, row as never)])
  const patch: Json = {}
  const kept: Json[] = []
  const turn = {
    now: NOW,
    records,
    state: { subscriptions: new Subscriptions(), channels: new Map() },
    timer: () => {},
    update: (_entity: unknown, _key: Json, fields: Json) => void Object.assign(patch, fields),
    upsert: (_entity: unknown, fields: Json) => void kept.push(fields),
    remove: (_entity: unknown, key: Json) =>
      void kept.splice(
        kept.findIndex(({ status }) => status === key.status),
        1,
      ),
    tell: () => {},
    gather: () => {},
    live: () => {},
  } as never
  return { turn, row, patch, kept, records }
}

const accept = (turn: never) =>
  messagesAccepted.receive(
    turn,
    {
      items: [
        {
          message_id: 'msg_1',
          provider_message_id: 'mid',
          at: NOW.getTime(),
          taken_after: TAKEN,
          early_statuses: true,
        },
      ],
    },
    context,
  )
const say = (turn: never, item: Json) =>
  statusReported.receive(
    turn,
    { channel, item: { kind: 'status', at: NOW, opaque: null, error: null, raw: null, ...item } } as never,
    context,
  )
const watermark = (ms: number) => ({
  status: 'read',
  provider_message_id: null,
  up_to: { user_id: 'p', at: new Date(TAKEN + ms) },
})

const news: { what: string; item: Json; becomes: string }[] = [
  { what: 'a watermark of the very moment', item: watermark(0), becomes: 'read' },
  { what: 'a later watermark', item: watermark(3_600_000), becomes: 'read' },
  { what: 'a watermark of the moment before', item: watermark(-1), becomes: 'sent' },
  { what: 'a delivery of it', item: { status: 'delivered', provider_message_id: 'mid' }, becomes: 'delivered' },
  {
    what: 'a failure of it',
    item: { status: 'failed', provider_message_id: 'mid', error: { code: '1', message: 'No' } },
    becomes: 'failed',
  },
  { what: 'a delivery of another one', item: { status: 'delivered', provider_message_id: 'other' }, becomes: 'sent' },
]

for (const { what, item, becomes } of news) {
  t.test(what, async (t) => {
    for (const order of ['before', 'after']) {
      const { turn, row, patch, kept } = turnWith()
      if (order === 'before') say(turn, item)
      accept(turn)
      if (order === 'after') say(turn, item)
      t.equal(row.status, becomes, `${order} the answer`)
      t.equal(patch.status, becomes)
      t.equal(patch.provider_message_id, 'mid')
      t.notOk(row.watermarks, 'nothing is left to apply')
      const is_other = item.provider_message_id === 'other'
      t.equal(kept.length, is_other ? 1 : 0)
    }
  })
}

t.test('kept statuses are applied in the order of a message’s life', async (t) => {
  const { turn, row, records } = turnWith()
  const early = {
    channel_id: 'c',
    provider_message_id: 'mid',
    error: null,
    raw: null,
    notice_id: null,
    created_at: NOW,
  }
  keepEarly(records, { ...early, status: 'failed', at: NOW, error: { code: '5', message: 'Back' } })
  keepEarly(records, { ...early, status: 'sent', at: NOW })
  accept(turn)
  t.match(row, { status: 'failed', error: { code: '5' }, sent_at: NOW, failed_at: NOW })
})

t.test('a watermark does not mark a failed message as read', async (t) => {
  const { turn, row } = turnWith()
  const refused = { message_id: 'msg_1', at: NOW.getTime(), error: { code: '1', message: 'No' } }
  messagesRefused.receive(turn, { items: [refused] }, context)
  say(turn, watermark(3_600_000))
  t.match(row, { status: 'failed' })
  t.notOk(row.read_at)
})

t.test('a message without a noted moment is compared by our own time', async (t) => {
  const { turn, row } = turnWith({ status: 'sent', taken_after: null })
  say(turn, watermark(-6_000))
  t.equal(row.status, 'sent', 'the message is newer than the watermark')
  say(turn, watermark(-5_000))
  t.equal(row.status, 'read')
})

t.test('an earlier watermark that comes late does not replace a later one', async (t) => {
  const { turn, row } = turnWith()
  say(turn, watermark(1_000))
  say(turn, watermark(-1_000))
  accept(turn)
  t.equal(row.status, 'read')
})

t.test('a status of an unknown message, which may have been erased, is kept without data of the person', async (t) => {
  const { turn, kept } = turnWith()
  const error = { code: '550', message: 'No such user: <zora@people.example> (+15557770001)' }
  const raw = { id: 'mid_gone', recipient_id: '15557770001' }
  say(turn, { status: 'failed', provider_message_id: 'mid_gone', error, raw })
  t.match(kept, [
    { provider_message_id: 'mid_gone', raw: null, error: { code: '550', message: 'No such user: … (+…)' } },
  ])
})
