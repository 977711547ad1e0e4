/** A copy of a database beside the original, on one NATS: it takes part in nothing, and sends nothing until it is resumed. */
import t from 'tap'
import type { Log } from '../../runtime/mod.ts'
import { run } from '../cli/command.ts'
import { copiedDatabaseUrl, tempDir } from '../support/mod.ts'
import { eventually, type Json } from './client.ts'
import { type ClusterNode, startCluster } from './cluster.ts'
import { made, makeTenant, OPERATOR_KEY, text } from './fixture.ts'

const SENDS = 20

t.test('a copy shares no request with the original, and is quiet until an operator resumes it', async (t) => {
  const said: string[] = []
  const note = (_: object, message: string) => void said.push(message)
  const log = { debug() {}, info() {}, warn: note, error: note } as unknown as Log
  // A node of its own that is stopped, and a copy of its database.
  const cluster = await startCluster(t, { nodes: 1, log })
  const { config, world } = cluster
  const tenant = await makeTenant(world)
  await tenant.subscribe('quiet', ['whatsapp.message.sent', 'crm.contact.created'])
  await cluster.nodes[0]!.stop()
  const database_url = await copiedDatabaseUrl(t, config.database_url!)
  const original = await cluster.add({})
  const copy = await cluster.add({ database_url, data_dir: tempDir(t) })

  const send = (node: ClusterNode, body: string): Promise<Json> =>
    made(() =>
      node.call(tenant.token, 'POST', 'messages', { channel: 'whatsapp', to: '+15558000001', message: text(body) }),
    )
  const statusOf = async (node: ClusterNode, id: string) =>
    (await node.call(tenant.token, 'GET', `messages/${id}`)).body.status
  const bodies = async (): Promise<string[]> => (await tenant.sent()).map(({ body }) => body.text.body)
  const ofOriginal: string[] = []
  const ofCopy: string[] = []
  for (let n = 0; n < SENDS; n++) {
    ofOriginal.push((await send(original, `original ${n}`)).id)
    ofCopy.push((await send(copy, `copy ${n}`)).id)
  }
  for (const id of ofOriginal) {
    await eventually('it is sent', async () => (await statusOf(original, id)) === 'sent')
    t.equal(
      (await copy.call(tenant.token, 'GET', `messages/${id}`)).status,
      404,
      'the copy has nothing of the original',
    )
  }
  for (const id of ofCopy) {
    t.equal(await statusOf(copy, id), 'queued')
    t.equal((await original.call(tenant.token, 'GET', `messages/${id}`)).status, 404)
  }
  t.strictSame((await bodies()).sort(), Array.from({ length: SENDS }, (_, n) => `original ${n}`).sort())
  await eventually('webhooks of the original', () => world.sink.events('quiet').length === SENDS + 1)

  const ready = await cluster.http('GET', `${copy.base_url}/ready`)
  t.match(ready, { status: 200, body: { warnings: [/restored or copied.*parley resume/] } })
  t.match((await copy.operator('GET', 'cluster')).body, { quiet_since: String, warnings: [/parley resume/] })
  t.match((await original.operator('GET', 'cluster')).body, { quiet_since: null, warnings: [] })
  t.equal(said.filter((line) => line.includes('parley resume')).length, 1, 'one line in the log')
  const flow = { name: 'Copy', categories: ['OTHER'], flow_json: '{"version":"7.0","screens":[]}' }
  t.match(await copy.call(tenant.token, 'POST', 'flows', flow), { status: 503 })
  t.match(await copy.operator('POST', `channels/${tenant.number.channel_id}/check`), { status: 503 })
  await made(() =>
    copy.call(tenant.token, 'POST', 'contacts', { channel_type: 'telegram', user_id: '1', name: 'Copy' }),
  )

  const env = { PARLEY_BASE_URL: copy.base_url, PARLEY_OPERATOR_KEY: OPERATOR_KEY }
  t.match(await run(['resume'], env), { code: 1, err: /Nothing is sent/ }, 'it asks first')
  t.match(await run(['resume', '--yes', '--json'], env), { code: 0, out: /"resumed": true/ })
  t.match(await run(['resume', '--yes'], env), { code: 0, out: /was not quiet/ })
  await eventually('the messages of the copy', async () => (await bodies()).length === 2 * SENDS)
  await eventually('its webhooks', () => world.sink.events('quiet').length === 2 * SENDS + 3)
  t.strictSame((await cluster.http('GET', `${copy.base_url}/ready`)).body.warnings, undefined)
})
