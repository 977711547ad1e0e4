/** Names of fields in the targets of events and in the rules of stages. */
import t from 'tap'
import { isCustom, settableField } from '../../../actors/project/definitions/rule_fields.ts'
import { parseTarget, storedTarget } from '../../../actors/project/definitions/targets.ts'

t.test('a new target names no field of the record but those that events write', async (t) => {
  for (const name of ['_id', 'version', 'stage', 'stage_id', 'contexto', 'unread_count', 'assigned_to', 'closed_at']) {
    t.equal(parseTarget(`ticket.${name}`), undefined, name)
    t.equal(settableField(name)?.is_custom ?? false, false, name)
  }
  for (const name of ['_id', 'user_id', 'customer_id', 'browser', 'consent', 'windows', 'last_seen_at']) {
    t.equal(parseTarget(`contact.${name}`), undefined, name)
  }
  t.same(parseTarget('contact.avatar'), { owner: 'contact', field: 'avatar', type: 'string' })
  t.same(parseTarget('ticket.amount'), { owner: 'ticket', field: 'amount', type: 'number' })
  t.same(parseTarget('ticket.priority'), { owner: 'ticket', field: 'priority', type: 'string' })
  t.same(parseTarget('ticket.chat_user_name'), { owner: 'ticket', field: 'chat_user_name', type: undefined })
})

t.test('a stored name stays a custom field when a later release gives the record a field of this name', async (t) => {
  t.same(storedTarget('ticket.unread_count'), { owner: 'ticket', field: 'unread_count', type: undefined })
  t.equal(isCustom('unread_count'), true)
  for (const name of ['amount', 'contexto', 'assigned_to']) t.equal(isCustom(name), false, name)
})
