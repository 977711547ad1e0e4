/** The secret of a cluster is changed while it serves: node by node, then in the tables, with a kill in between. */
import { createHmac } from 'node:crypto'
import t from 'tap'
import { mediaLink } from '../../actors/mod.ts'
import { openDatabase, openVault } from '../../storage/mod.ts'
import { run, start } from '../cli/command.ts'
import { upload } from '../http/media_client.ts'
import { type Answer, eventually, type Json, sleep } from './client.ts'
import { type ClusterNode, startCluster } from './cluster.ts'
import { makeTenant, type Tenant, text } from './fixture.ts'

const [OLD, NEW] = ['the secret of last year', 'the secret of this year']
const [OLD_KEY, NEW_KEY] = [OLD, NEW].map((secret) => openVault(secret).key_ids[0]!) as [string, string]

/** Calls whichever node is there, and repeats what may be repeated, as a careful client does. */
function clientOf(nodes: () => ClusterNode[], { token }: Tenant) {
  let turn = 0
  return async (method: string, path: string, json: unknown, key: string): Promise<Answer> => {
    for (; ; await sleep(20)) {
      const all = nodes()
      const call = { headers: { 'idempotency-key': key } }
      const answer = await all[turn++ % all.length]!.call(token, method, path, json, call).catch(() => undefined)
      if (answer && answer.status !== 503) return answer
    }
  }
}

t.test('two nodes change their secret under load, and everything opens afterwards', async (t) => {
  const cluster = await startCluster(t, { config: { secret: `${OLD},${NEW}` } })
  const { config, world } = cluster
  let nodes = [...cluster.nodes]
  const tenant = await makeTenant(world)
  // Opens the window in which the provider takes free text.
  await tenant.writes('+15558000001', 'hello')
  const call = clientOf(() => nodes, tenant)
  const database = await openDatabase({ url: config.database_url!, secret: OLD, pool_size: 4 })
  t.teardown(() => database.close())
  const cli = { DATABASE_URL: config.database_url!, PARLEY_DATA_DIR: config.data_dir }
  const both = { ...cli, PARLEY_SECRET: `${NEW},${OLD}` }
  const status = async () => JSON.parse((await run(['secrets', 'status', '--json'], both)).out)

  const webhook = (name: string) => ({
    name,
    url: world.sink.url(name),
    events: ['sent', 'delivered', 'read', 'failed'].map((status) => `whatsapp.message.${status}`),
    headers: { 'x-name': name },
  })
  const made: Json[] = []
  for (let n = 0; n < 4; n++) made.push((await call('POST', 'webhooks', webhook(`before-${n}`), `make ${n}`)).body)
  const [held] = made as [Json]
  // Parley keeps the files of a tenant without a number.
  const number = `channels/${tenant.number.channel_id}`
  await world.operator('PATCH', number, { is_active: false })
  const uploaded = await upload(tenant, Buffer.from('%PDF-1.4 a'), { filename: 'a.pdf' })
  await world.operator('PATCH', number, { is_active: true })

  // One of them changes all the time, one is made each time.
  let going = true
  const sends: string[] = []
  const surprises: string[] = []
  async function load() {
    for (let n = 0; going; n++) {
      const sent = await call(
        'POST',
        'messages',
        { channel: 'whatsapp', to: '+15558000001', message: text(`${n}`) },
        `send ${n}`,
      )
      if (sent.status === 202) sends.push(sent.body.id)
      else surprises.push(sent.text)
      const headers = { 'x-name': 'before-3', 'x-number': String(n) }
      const changed = await call('PATCH', `webhooks/${made[3].id}`, { headers }, `change ${n}`)
      if (changed.status !== 200) surprises.push(changed.text)
      if (n % 10 === 0) made.push((await call('POST', 'webhooks', webhook(`under-${n}`), `under ${n}`)).body)
      // The nodes are to be in use, not busy: on a slow machine there would be as much more of it.
      await sleep(25)
    }
  }
  const loading = load()

  const step_1 = await run(['secrets', 'status'], { ...cli, PARLEY_SECRET: `${OLD},${NEW}` })
  t.match(step_1.out, new RegExp(`\\nNo stored value has the key ${NEW_KEY}, .* taken for a new one`))
  const early = await run(['secrets', 'rotate'], both)
  t.equal(early.code, 1)
  t.match(
    early.err,
    new RegExp(`^(The node \\w{12} \\(.+\\) still seals with the key ${OLD_KEY}: restart it .*\\n){2}$`),
  )

  /** Replaces the nodes, one after the other. */
  async function restartWith(secret: string) {
    for (const node of [...nodes]) {
      const next = await cluster.add({ secret })
      nodes = [...nodes.filter((one) => one !== node), next]
      await node.stop()
    }
  }
  await restartWith(`${NEW},${OLD}`)

  // Values of the release that knew one secret only.
  await database.execute(`update subscription set secret = substring(secret from '^v1:[^:]+') where id = ?`, [
    made[1].id,
  ])
  const session = await database.session()
  t.teardown(() => session.end())
  await session.query(
    `set idle_in_transaction_session_timeout = 0; begin; select 1 from subscription where id = '${held.id}' for update`,
  )
  const killed = start(t, ['secrets', 'rotate'], { env: both })
  await eventually('the channel is done, and the webhooks wait for a row', async () => {
    const { rotation, places } = await status()
    return rotation?.resealed > 0 && places[1].values[OLD_KEY] > 0
  })
  await killed.end('SIGKILL')
  await session.query('rollback')
  t.match(await status(), { may_drop: [], rotation: { finished_at: null } })
  const again = await run(['secrets', 'rotate', '--json'], both)
  t.match(again, { code: 0 }, again.err)
  t.match(JSON.parse(again.out), { key_id: NEW_KEY, unopened: 0 })
  const shown = await run(['secrets', 'status'], both)
  t.match(shown.out, new RegExp(`^${NEW_KEY} +encrypts +\\d+\\n${OLD_KEY} +decrypts +0$`, 'm'))
  t.match(
    shown.out,
    new RegExp(`\\nNo stored value and no node needs ${OLD_KEY}\\. Remove its secret from PARLEY_SECRET`),
  )

  const link = mediaLink(nodes[0]!.base_url, openVault(OLD), uploaded.body, new Date())
  t.equal((await cluster.http('GET', link)).status, 200, 'an address that was signed with the old secret')
  await restartWith(NEW)
  going = false
  await loading
  t.strictSame(surprises, [])
  const node = nodes[0]!
  t.equal(
    (await cluster.http('GET', link.replace(/^http:\/\/[^/]+/, node.base_url))).status,
    404,
    'it ends with that secret',
  )

  // The last message reaches every webhook, with its own secret and headers.
  const last = (
    await call('POST', 'messages', { channel: 'whatsapp', to: '+15558000001', message: text('last') }, 'last')
  ).body.id
  for (const { id, url, secret } of made) {
    const path = url.split('/').at(-1)
    const received = await eventually(`${path} has it`, () =>
      world.sink.calls(path).find(({ body }) => body.data.message_id === last),
    )
    const [, time, signature] = /^t=(\d+),v1=(\w+)$/.exec(received.headers['x-svc-signature']!)!
    t.equal(signature, createHmac('sha256', secret).update(`${time}.${received.raw}`).digest('hex'), id)
    t.equal(received.headers['x-name'], path)
  }
  const answer = await call('POST', 'webhooks', webhook('before-0'), 'make 0')
  t.match(
    answer,
    { headers: { 'idempotent-replayed': 'true' }, body: { secret: held.secret } },
    'a stored answer opens',
  )
  await eventually('each acknowledged message is reported', () => {
    const reported = new Set(world.sink.events('before-0').map(({ data }) => data.message_id))
    return sends.every((id) => reported.has(id))
  })
  t.comment(`${sends.length} messages, ${made.length} webhooks, ${JSON.parse(again.out).resealed} values`)
})
