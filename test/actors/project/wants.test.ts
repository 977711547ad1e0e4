import t from 'tap'
import { wantsOf } from '../../../actors/project/wants.ts'

t.test('news that came before an answer is looked for, unless the channel says that there can be none', async (t) => {
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
  const { early } = wantsOf([{ type: 'messages_accepted', items }], new Map(), {} as never)
  t.same([...early], ['of a provider that may be early', 'from a node of an earlier version'])
})

t.test('templates that the turn is about to forget are read again for its own messages', async (t) => {
  const known = new Map([['c order_update en', {}]])
  const channels = new Map([['c', { id: 'c' }]])
  const state = { templates: known, channels } as never
  const slice = { type: 'bulk_slice', channel_id: 'c', template_name: 'order_update', language: 'en', recipients: [] }
  const wanted = (...before: object[]) => wantsOf([...before, slice] as never, new Map(), state).templates.size
  t.equal(wanted(), 0, 'one that is known is not read')
  t.equal(wanted({ type: 'refresh', what: 'channel', id: 'c' }), 1)
  t.equal(wanted({ type: 'refresh', what: 'template', id: 'c' }), 1)
  t.equal(wanted({ type: 'refresh', what: 'token', id: 'x' }), 0)
})
