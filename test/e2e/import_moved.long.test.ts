/** An import whose project moves to another node. */
import t from 'tap'
import { eventually } from './client.ts'
import { startCluster } from './cluster.ts'
import { makeTenant } from './fixture.ts'
import { ended, importUrl, nodeOf } from './import_client.ts'
import { startSite } from './site.ts'

t.test('the next owner of a project does its imports again, and one of them takes effect', async (t) => {
  const site = await startSite(t)
  const cluster = await startCluster(t)
  const tenant = await makeTenant(cluster.world)
  let is_closed = false
  // The first answer never comes.
  site.set('/page', (_, response) => response.once('close', () => (is_closed = true)))
  const id = (await importUrl(tenant, site.url('/page'))).body._id
  await eventually('it is being fetched', () => site.asked.length === 1)
  const owner = await eventually('the project has an owner', () => cluster.ownerOf(`project/${tenant.project_id}`))
  site.set('/page', '# A page')
  await cluster.drain(owner)
  t.match(await ended(tenant, id), { status: 'done', attempts: 2, error: null })
  t.match(await nodeOf(tenant, id), { name: 'A page', content: '# A page' })
  await eventually('the former owner has given it up', () => is_closed)
  t.equal(site.asked.length, 2)
  const counts = await Promise.all(
    cluster.nodes.map(async (node) => {
      const converted = /^parley_knowledge_imports_total\{origin="url",outcome="converted"\} (\d+)$/m
      return Number(converted.exec(await node.metrics())?.[1] ?? 0)
    }),
  )
  t.strictSame(counts, cluster.nodes[0] === owner ? [0, 1] : [1, 0])
})
