/** The status that a channel tells reaches subscribers, whatever its project has heard of the channel before. */
import t from 'tap'
import { objectId } from '../../../storage/mod.ts'
import { until } from '../../runtime/support/wait.ts'
import { startTenant } from '../subscription/tenant_node.ts'

t.test('a new channel is published though its project was not told of it yet', async (t) => {
  const { node, address, query, project_id, subscribe, posted } = await startTenant(t)
  await subscribe('status', { events: ['whatsapp.channel.connected'] })
  const channel_id = objectId()
  await query(`insert into channel
    (_id, company_id, project_id, channel_type, provider, name, is_active, status, created_at, updated_at)
    select '${channel_id}', company_id, _id, 'whatsapp', 'simulator', 'New', true, 'connected', now(), now()
    from project where _id = '${project_id}'`)
  const status = { type: 'channel_status', channel_id, status: 'connected', reason: null }
  await node.ask(address as never, status as never)
  await until(() => posted.length === 1, 30_000)
})
