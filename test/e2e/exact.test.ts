/** Every exact promise stays exact from two nodes at once. */
import t from 'tap'
import {
  operatorKeysAreExact,
  revocationIsExact,
  revocations,
  signingKeyIsExact,
  windowIsExact,
  windows,
} from './exact/access.ts'
import {
  agentRecordsAreExact,
  contactIsExact,
  flowIsExact,
  historyIsExact,
  inboundIsExact,
  keyIsExact,
  pollIsExact,
  visitorIsExact,
} from './exact/messages.ts'
import { beginExact } from './exact/nodes.ts'
import { appointmentsAreExact, erasureIsExact, ledgerIsExact } from './exact/people.ts'
import {
  definitionsAreExact,
  deploymentsAreExact,
  externalIdsAreExact,
  identityIsExact,
  knowledgeIsExact,
  recordsAreExact,
  testSetsAreExact,
} from './exact/records.ts'
import { eventKeyIsExact, openTicketIsExact, reopeningIsExact, siblingsAreExact } from './exact/tickets.ts'

const { database } = await beginExact(t)

t.test('every unique rule of the tables has a check below', async (t) => {
  const rows = await database.execute<{ name: string }>(`
    select i.relname as name from pg_index x join pg_class i on i.oid = x.indexrelid
    join pg_namespace n on n.oid = i.relnamespace
    where (x.indisunique or x.indisexclusion) and not x.indisprimary and n.nspname = 'public'
    order by 1`)
  t.same(
    rows.map(({ name }) => name),
    [
      'appointment_number',
      'appointment_slot',
      'assistant_block_identity',
      'assistant_deployment_position',
      'assistant_test_set_name',
      'canned_response_own',
      'canned_response_shared',
      'channel_account',
      'contact_identity',
      'crm_event_key',
      'custom_field_key',
      'customer_external_id',
      'event_type_key',
      'flow_provider',
      'history_import_pairing',
      'knowledge_node_number',
      'knowledge_term_project',
      'loyalty_entry_expiry',
      'loyalty_entry_key',
      'loyalty_entry_number',
      'loyalty_membership_customer',
      'loyalty_membership_serial_number',
      'message_provider',
      'message_retry',
      'operator_key_hash',
      'operator_key_name',
      'pipeline_default',
      'tag_name',
      'template_name',
      'ticket_external_id',
      'ticket_open',
      'token_hash',
      'user_email',
      'user_invitation_hash',
      'visitor_identity_user',
    ],
  )
})

t.test('requests at two nodes draw exactly what each window holds', async (t) => {
  for (const window of windows) await windowIsExact(t, window)
})
for (const [what, revoke, success] of revocations) {
  t.test(`a token ${what} at one node is refused at both`, (t) => revocationIsExact(t, what, revoke, success))
}
t.test('one idempotency key from two nodes has one effect and one answer', keyIsExact)
t.test('fifty first messages of a person from two nodes make one contact', contactIsExact)
t.test('a receiver that polls two nodes gets each event once and in order', pollIsExact)
t.test('a project has one key when two nodes want the first', signingKeyIsExact)
t.test('inbound messages that the provider repeats to two nodes are stored once', inboundIsExact)
t.test('a Flow that two nodes are asked to register is registered once', flowIsExact)
t.test('the history of a phone is asked for once when two nodes are asked', historyIsExact)
t.test('one idempotency_key from two nodes and two projects records one event', eventKeyIsExact)
t.test('two projects of a company hear one person at two nodes, and each has its own contact', siblingsAreExact)
t.test('fifty events of a contact without a ticket from two nodes open one', openTicketIsExact)
t.test('one of two closed tickets of a contact opens when two nodes are asked to reopen both', reopeningIsExact)
t.test('unique values hold against two nodes', recordsAreExact)
t.test('one of many customers and tickets takes an external id from two nodes', externalIdsAreExact)
t.test('one operator key of a name is made, and a revoked key opens nothing at two nodes', operatorKeysAreExact)
t.test('one of many blocks of an identity type is attached from two nodes', identityIsExact)
t.test('the deployments of an assistant are those of one of many requests from two nodes', deploymentsAreExact)
t.test('one test set of a name is made from two nodes', testSetsAreExact)
t.test('documents of two nodes that share a word count it exactly', knowledgeIsExact)
t.test('an erasure that two nodes are asked for takes each message of the person once', erasureIsExact)
t.test('one of fifty gets a slot of a user from two nodes and two projects', appointmentsAreExact)
t.test('tills at two nodes write one ledger without a gap, and it expires once', ledgerIsExact)
t.test('texts of agents and messages that are sent again exist once from two nodes', agentRecordsAreExact)
t.test('a person of a site is one visitor, and a visitor one person, from two nodes', visitorIsExact)
t.test('each CRM record of an operator exists once, and one pipeline is the default', definitionsAreExact)
