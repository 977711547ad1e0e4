/** A backup of a cluster under load, and the cluster that continues from it. */
import { join } from 'node:path'
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { run } from '../cli/command.ts'
import { upload } from '../http/media_client.ts'
import { emptyDatabaseUrl, TEST_SECRET, tempDir } from '../support/mod.ts'
import { eventually, sleep } from './client.ts'
import { startCluster } from './cluster.ts'
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
