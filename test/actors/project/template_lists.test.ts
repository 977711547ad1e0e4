/** Lists of templates that could not be fetched, or not to the end, are fetched again soon. */
import t from 'tap'
import { objectId } from '../../../storage/mod.ts'
import { until } from '../../runtime/support/wait.ts'
import type { Owner } from '../../support/mod.ts'
import { startTenant } from '../subscription/tenant_node.ts'

type Listed = { templates: object[] } | { failure: object }

const FAILURE = { failure: { kind: 'retry', code: 'down', message: 'Down.', maybe_accepted: false } }
const template = (name: string) => ({ name, language: 'en', status: 'APPROVED', category: 'UTILITY', components: [] })

/** Starts a project with so many channels. `lists` has the answer to each list that is asked for, in order. */
async function start(t: Owner, channels: number) {
  const lists: ((listed: Listed) => void)[] = []
  const provider = {
    listTemplates: () => new Promise<Listed>((resolve) => lists.push(resolve)),
    hook: {
      read: ({ raw }: { raw: string }) => {
        const { name, language, status } = template(raw)
        return {
          status: 200,
          body: '',
          items: [{ kind: 'template', account: null, name, language, status, value: {} }],
        }
      },
    },
  }
  const tenant = await startTenant(t, { providers: { of: () => provider } as never })
  const { query, project_id, node, address } = tenant
  const ids = Array.from({ length: channels }, () => objectId())
  for (const id of ids) {
    await query(`insert into channel
      (_id, company_id, project_id, channel_type, provider, name, is_active, status, created_at, updated_at)
      select '${id}', company_id, _id, 'whatsapp', 'cloud', 'Main', true, 'connected', now(), now()
      from project where _id = '${project_id}'`)
  }
  const ask = (message: object) => node.ask(address as never, message as never)
  const isSoon = async () => {
    const [timer] = await query(
      `select due_at < now() + interval '1 hour' as is_soon from timer where name = 'templates'`,
    )
    return timer?.is_soon
  }
  return { ...tenant, ids, lists, ask, isSoon }
}

t.test('one of two lists fails, and the other arrives afterwards', async (t) => {
  const { lists, ask, isSoon, query } = await start(t, 2)
  await ask({ type: 'sync_templates' })
  await until(() => lists.length === 2)
  lists[0]!(FAILURE)
  await until(isSoon)
  lists[1]!({ templates: [template('known')] })
  await until(async () => (await query('select name from template')).length === 1)
  t.equal(await isSoon(), true)
})

t.test('the node of a fetch dies', async (t) => {
  const { lists, ask, isSoon } = await start(t, 1)
  await ask({ type: 'sync_templates' })
  await until(() => lists.length === 1)
  t.equal(await isSoon(), true)
})

t.test('a template that is reported during a fetch is published when the next list has it', async (t) => {
  const { ids, lists, ask, subscribe, posted } = await start(t, 1)
  await subscribe('new', { events: ['whatsapp.template.updated'] })
  await ask({ type: 'sync_templates' })
  await until(() => lists.length === 1)
  const call = { type: 'inbound', channel_id: ids[0], raw: 'reported', signature: null }
  t.match(await ask(call), { status: 200 })
  lists[0]!({ templates: [template('known')] })
  await until(() => lists.length === 2)
  lists[1]!({ templates: [template('known'), template('reported')] })
  await until(() => posted.length === 1, 30_000)
})
