/** A site that does not answer leaves room for the imports of other sites and of files, however many wait for it. */
import t from 'tap'
import { plainQuery } from '../support/mod.ts'
import { eventually } from './client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'
import { ended, importFile, importUrl } from './import_client.ts'
import { startSite } from './site.ts'

/** With those of the API, as many as a project may have. */
const WAITING = 1_900

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const query = (statement: string) => plainQuery(world.config.database_url!, statement)

t.test('a site that does not answer', async (t) => {
  const [hung, other] = [await startSite(t), await startSite(t)]
  let open = 0
  let most_open = 0
  // Each request is given up in the end, and the next one begins.
  for (let n = 0; n < 10; n++)
    hung.set(`/${n}`, (_, response) => {
      most_open = Math.max(most_open, ++open)
      response.on('close', () => open--)
    })
  other.set('/page.md', '# Opening hours\n\nFrom nine to five.')
  const first = await made(importUrl(tenant, hung.url('/0')))
  const id = `left('${first._id}', 16) || lpad(to_hex(n), 8, '0')`
  await query(`
    insert into knowledge_node (_id, company_id, project_id, type, name, index_status, updated_at)
      select ${id}, '${tenant.company_id}', '${tenant.project_id}', 'document', n, 'pending', now() from generate_series(1, ${WAITING}) n`)
  await query(`
    insert into knowledge_import
      select (jsonb_populate_record(k, jsonb_build_object('node_id', ${id}, 'import_id', ${id}, 'status', 'waiting'))).*
      from knowledge_import k, generate_series(1, ${WAITING}) n where k.node_id = '${first._id}'`)
  for (let n = 1; n < 10; n++) await made(importUrl(tenant, hung.url(`/${n}`)))
  await eventually('two are being fetched', () => open === 2)
  const page = await made(importUrl(tenant, other.url('/page.md')))
  t.match(await ended(tenant, page._id), { status: 'done' })
  const file = await made(importFile(tenant, 'From nine to five.', { filename: 'hours.md' }))
  t.match(await ended(tenant, file._id), { status: 'done' })
  t.equal(most_open, 2, 'the others of the site still wait')
  // The node is shared: it should not go on to ask the site for them.
  await query(`delete from knowledge_import where project_id = '${tenant.project_id}'`)
})
