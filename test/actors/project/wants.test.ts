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
