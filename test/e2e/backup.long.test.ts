/** A backup of a cluster under load, and the cluster that continues from it. */
import { join } from 'node:path'
import t from 'tap'
import { silentLog } from '../../runtime/mod.ts'
import { openDatabase } from '../../storage/mod.ts'
import { run } from '../cli/command.ts'
import { upload } from '../http/media_client.ts'
import { emptyDatabaseUrl, plainQuery, TEST_SECRET, tempDir } from '../support/mod.ts'
import { eventually, patiently, sleep } from './client.ts'
import { type ClusterNode, startCluster } from './cluster.ts'
import { makeTenant, text } from './fixture.ts'
import { HistoryChecker } from './history_checker.ts'
import { prepareLoad, runLoad } from './load.ts'

t.test('a restored cluster has what was acknowledged, nothing of it half, and goes on', async (t) => {
  const cluster = await startCluster(t)
  const { config, world } = cluster
  const tenant = await makeTenant(world)
  const number = `channels/${tenant.number.channel_id}`
  await world.operator('PATCH', number, { is_active: false })
  const file = Buffer.from('%PDF-1.4 a file that Parley keeps')
  const uploaded = (await upload(tenant, file, { filename: 'a.pdf' })).body.media_id
  await world.operator('PATCH', number, { is_active: true })
  await prepareLoad(tenant)
  const load = runLoad(tenant)
  await eventually('the load runs', () => load.sends.length > 30)

  const archive = join(tempDir(t), 'parley.backup')
  const env = { PARLEY_BACKUP_PASSPHRASE: 'correct horse battery', PARLEY_SECRET: TEST_SECRET }
  const before = load.sends.length
  const made = await run(['backup', archive, '--json'], {
    ...env,
    DATABASE_URL: config.database_url!,
    PARLEY_DATA_DIR: config.data_dir,
  })
  t.equal(made.code, 0, made.err)
  const { snapshot_at, rows, files } = JSON.parse(made.out)
  t.equal(files, 1)
  await eventually('the load goes on', () => load.sends.length > before + 30)
  await load.stop()
  await Promise.all(cluster.nodes.map((node) => node.stop()))
  const lost = { from: Date.parse(snapshot_at), to: Date.now() }

  const [database_url, data_dir] = [await emptyDatabaseUrl(t), tempDir(t)]
  const target = { ...env, DATABASE_URL: database_url, PARLEY_DATA_DIR: data_dir }
  const restored = await run(['restore', archive, '--yes', '--json'], target)
  t.match(restored, { code: 0 }, restored.err)
  t.match(JSON.parse(restored.out), { snapshot_at, rows, files: 1 })
  const database = await openDatabase({ url: database_url, secret: TEST_SECRET, pool_size: 4 })
  t.teardown(() => database.close())
  const half = await database.execute(`
    select e.id from event e, unnest(e.subscription_ids) s where not exists (
      select from delivery d where d.event_id = e.id and d.subscription_id = s) and not exists (
      select from outbox o where o.address = 'subscription/' || s and o.message::text like '%' || e.id || '%')`)
  t.strictSame(half, [], 'each event has its deliveries, or the messages that make them')

  const node = await cluster.add({ database_url, data_dir })
  t.match((await node.operator('GET', 'cluster')).body, { quiet_since: String })
  t.match((await node.operator('POST', 'cluster/resume')).body, { resumed: true })
  const { app_secret, verify_token, access_token, phone_number_id, business_account_id } = tenant.number
  const account = { app_secret, verify_token, access_token, phone_number_id, business_account_id }
  const webhook_url = `${node.base_url}/providers/whatsapp/${tenant.number.channel_id}`
  await world.control('PUT', 'numbers', { ...account, display_phone_number: '+15557830000', webhook_url })
  const findings = await new HistoryChecker(world, tenant, database).findings(load, { lost })
  t.strictSame(findings, [], 'nothing that was acknowledged is lost, doubled, reordered or stuck')
  const kept = load.sends.filter((send) => load.requests.find(({ what }) => what === send.body)!.ended < lost.from)
  t.ok(kept.length >= before)
  t.comment(`${load.sends.length} sends, ${kept.length} before the snapshot, ${rows} rows`)

  const sent = await node.call(tenant.token, 'POST', 'messages', {
    channel: 'whatsapp',
    to: '+15558000000',
    message: text('after the restore'),
  })
  t.equal(sent.status, 202)
  for (let status = ''; status !== 'read'; await sleep(50)) {
    status = (await node.call(tenant.token, 'GET', `messages/${sent.body.id}`)).body.status
  }
  await eventually('its webhook', () =>
    world.sink.calls(`${tenant.project_id}-all`).some(({ body }) => body.data.message_id === sent.body.id),
  )
  const download = await cluster.http('GET', `${node.base_url}/v1/media/${uploaded}/download?phone_number_id=1`, {
    token: tenant.token,
  })
  t.match(download, { status: 200, text: file.toString() })
})

t.test('a node of the former cluster that finds the restored database begins anew', async (t) => {
  const cluster = await startCluster(t, { nodes: 1, log: silentLog })
  const { config, world } = cluster
  const [node] = cluster.nodes as [ClusterNode]
  const tenant = await makeTenant(world)
  await tenant.writes('+15558000000', 'hello')
  await tenant.subscribe('hooks', ['whatsapp.message.sent'])
  const before = (await tenant.send('+15558000000')).body.id
  await tenant.message(before, 'read')
  const archive = join(tempDir(t), 'parley.backup')
  const env = { PARLEY_SECRET: TEST_SECRET, PARLEY_DATA_DIR: config.data_dir }
  t.match(await run(['backup', archive], { ...env, DATABASE_URL: config.database_url! }), { code: 0 })
  const after = (await tenant.send('+15558000000')).body.id
  await tenant.message(after, 'read')
  const restored = await emptyDatabaseUrl(t)
  t.match(await run(['restore', archive, '--yes'], { ...env, DATABASE_URL: restored }), { code: 0 })

  // The restored database takes the name of the other one, under the running node.
  const swap = await swapper(config.database_url!, restored)
  await swap()
  t.teardown(async () => {
    await node.stop()
    await swap()
  })
  await eventually('what came after the snapshot is forgotten', async () => {
    const { status } = await tenant.api('GET', `messages/${after}`)
    return status === 404
  })
  const next = await patiently(() => tenant.send('+15558000000', { message: text('next') }))
  t.equal(next.status, 202)
  await tenant.message(next.body.id, 'read')
  await tenant.message(before, 'read')
  await eventually('its webhook', () => world.sink.events('hooks').some(({ data }) => data.message_id === next.body.id))
  const rows = await plainQuery(
    config.database_url!,
    'select min(epoch)::float8 as epoch, count(distinct owner)::int as owners from partition',
  )
  t.match(rows, [{ owners: 1 }])
  t.ok((rows as { epoch: number }[])[0]!.epoch > 10_000_000_000)
  t.strictSame(await plainQuery(config.database_url!, 'select * from dead_letter'), [])
})

/** Each call lets two databases exchange their names. Connections to either are cut. */
async function swapper(one: string, other: string): Promise<() => Promise<void>> {
  const [first, second] = [one, other].map((url) => new URL(url).pathname.slice(1)) as [string, string]
  const admin = new URL(one)
  admin.pathname = '/postgres'
  const run = (sql: string) => plainQuery(admin.href, sql)
  const rename = async (from: string, to: string) => {
    await run(`alter database ${from} allow_connections false`)
    for (;;) {
      await run(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${from}'`)
      const done = await run(`alter database ${from} rename to ${to}`).catch(() => undefined)
      if (done) break
    }
    await run(`alter database ${to} allow_connections true`)
  }
  return async () => {
    await rename(first, `${first}_aside`)
    await rename(second, first)
    await rename(`${first}_aside`, second)
  }
}
