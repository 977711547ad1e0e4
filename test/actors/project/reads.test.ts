import t from 'tap'
import { readsOf } from '../../../actors/project/actor.ts'
import { earlyStatusReads } from '../../../actors/project/messages/early_statuses.ts'
import { knownTemplates, templateFactReads } from '../../../actors/project/templates/template_facts.ts'

const wanted = (messages: object[], state: object) =>
  readsOf(messages as never, state as never, new Date(), {} as never)

t.test('statuses that came before an answer are looked for, unless the channel rules them out', async (t) => {
  const accepted = (id: string, more: object = {}) => ({
    message_id: `msg_${id}`,
    provider_message_id: id,
    at: 1,
    ...more,
  })
  const items = [
    accepted('of a provider that may be early', { early_statuses: true }),
    accepted('of one that never is', { early_statuses: false }),
    accepted('from a node of an earlier version'),
    accepted('', { early_statuses: true }),
  ]
  const early = wanted([{ type: 'messages_accepted', items }], {}).of(earlyStatusReads)
  t.same([...early], ['of a provider that may be early', 'from a node of an earlier version'])
})

t.test('templates that the turn is about to forget are read again for its own messages', async (t) => {
  const channels = new Map([['c', { id: 'c' }]])
  const state = { channels, memory: new Map() }
  knownTemplates.of(state).set('c order_update en', {
    components: [],
    category: 'UTILITY',
    status: 'APPROVED',
    quality: null,
    next_category: null,
  })
  const slice = { type: 'bulk_slice', channel_id: 'c', template_name: 'order_update', language: 'en', recipients: [] }
  const read = (...before: object[]) => wanted([...before, slice], state).of(templateFactReads).templates.size
  t.equal(read(), 0, 'one that is known is not read')
  t.equal(read({ type: 'refresh', what: 'channel', id: 'c' }), 1)
  t.equal(read({ type: 'refresh', what: 'template', id: 'c' }), 1)
  t.equal(read({ type: 'refresh', what: 'token', id: 'x' }), 0)
})
