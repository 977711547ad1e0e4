/** A node works for a request while the project of the request is erased. */
import t from 'tap'
import { prefixedId } from '../../../storage/mod.ts'
import { startTenant } from '../subscription/tenant_node.ts'

t.test('nothing is stored for a project that was erased meanwhile', async (t) => {
  const { node, address, query, subscribe } = await startTenant(t)
  await subscribe('before')
  const ask = (message: object) => node.ask(address as never, message as never) as Promise<unknown>
  const key = { route: 'POST /v1/messages/bulk', key: 'first', body_hash: '' }
  await ask({ type: 'erase_project', reply_to: 'data_erasure/none', round: '1', told: [] })
  const broadcast = { id: prefixedId('brd'), channel_id: 'none', template_name: 'promo', language: 'en', total: 1 }
  const conclusion = {
    type: 'conclude',
    claim: { idempotency: key, claim_id: '1' },
    changes: [{ type: 'create_broadcast', ...broadcast, campaign_name: null }],
    answer: { record: true },
  }
  t.same(await ask(conclusion), { error: { code: 'UNAUTHENTICATED' } })
  t.same(await ask({ ...conclusion, origin: { actor_kind: 'operator' } }), { error: { code: 'PROJECT_NOT_FOUND' } })
  t.same(await query('select id from broadcast'), [])
  t.same(await query('select key from idempotency'), [])
})

t.test('a change of limits does not bring a project back that is being erased', async (t) => {
  const { node, address, query, project_id, subscribe } = await startTenant(t)
  await subscribe('before')
  const ask = (message: object) => node.ask(address as never, message as never) as Promise<unknown>
  await query(`insert into data_erasure (_id, kind, subject_id, company_id, project_id, requested_by, status, phase, cursor,
      waits_for, counts, created_at, updated_at)
    select _id, 'project', _id, company_id, _id, 'operator', 'running', 1, '', '[]', '{}', now(), now() from project`)
  await ask({ type: 'erase_project', reply_to: 'data_erasure/none', round: '1', told: [] })
  await ask({ type: 'refresh', what: 'limits', id: project_id })
  const conclusion = { type: 'conclude', changes: [], answer: { record: true } }
  t.same(await ask(conclusion), { error: { code: 'UNAUTHENTICATED' } })
})
