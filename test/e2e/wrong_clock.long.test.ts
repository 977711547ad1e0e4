/**
 * A node whose wall clock is wrong, and is set while the node runs, behaves like all others: nothing reads that clock.
 */
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { signCall } from '../../actors/providers/signed_call.ts'
import { isGood, verify } from '../../http/cli/listener/verify.ts'
import { isObjectId, openDatabase } from '../../storage/mod.ts'
import { upload } from '../http/media_client.ts'
import { freePort, startSmtp } from '../support/mod.ts'
import { shiftedClock } from '../support/shifted_clock.ts'
import { startChild } from './child.ts'
import { eventually, type Json } from './client.ts'
import { makeAgent, signIn } from './console_client.ts'
import { made, makeTenant, OPERATOR_KEY, type Outside, startWorld, type Tenant, text } from './fixture.ts'
import { ended, importFile, importOf, importUrl } from './import_client.ts'
import { foundBy, indexed } from './knowledge_client.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** Far less than the clock is off, and far more than a busy machine takes. */
const NEAR_MS = 120_000
const SECRET = 'the secret of the inbound hook'
const PARTITIONS = 8

type Cluster = { nodes: { id: string; pid: number }[]; partitions: { owner: string | null; epoch: number }[] }

const right = await startWorld(t, { config: { partitions: PARTITIONS } })
const smtp = await startSmtp(t)
const database = await openDatabase({ url: right.config.database_url!, pool_size: 1 })
t.teardown(() => database.close())

/**
 * Starts a node with a wrong clock that joins the right node and takes all partitions, so it alone answers all
 * requests.
 */
async function startWrong(t: Test, ahead_ms: number, then_ms: number) {
  const { config } = right
  const port = await freePort()
  const child = startChild(t, new URL('./run_parley.ts', import.meta.url), {
    ...shiftedClock(ahead_ms, then_ms),
    PARLEY_ENV: 'development',
    PARLEY_PORT: String(port),
    PARLEY_DATA_DIR: config.data_dir,
    PARLEY_OPERATOR_KEY: OPERATOR_KEY,
    PARLEY_SECRET: config.secret!,
    PARLEY_PARTITIONS: String(PARTITIONS),
    PARLEY_NATS_PREFIX: config.nats_prefix,
    PARLEY_NATS_REPLICAS: String(config.nats_replicas),
    PARLEY_WEBHOOK_SCHEDULE: config.webhook_schedule.join(),
    DATABASE_URL: config.database_url!,
    NATS_URL: config.nats_url!,
    PARLEY_TEST_WAITS: JSON.stringify({ confirm_ms: 700, send_ms: 500, webhook_ms: 1000 }),
  })
  const line = await child.line(/^http:/)
  const base_url = new URL(line).origin
  const wrong: Outside = {
    ...right,
    base_url,
    operator: (method, path, json) => right.http(method, `${base_url}/admin/v1/${path}`, { json, token: OPERATOR_KEY }),
  }
  const cluster = async (): Promise<Cluster> => (await made(wrong.operator('GET', 'cluster'))) as Cluster
  await eventually('both nodes know of each other', async () => (await cluster()).nodes.length === 2)
  const other = (await cluster()).nodes.find(({ pid }) => pid !== child.pid)!
  await made(wrong.operator('POST', `cluster/nodes/${other.id}/drain`))
  /** Returns the epochs of the partitions as soon as the wrong node has them all. */
  const epochs = () =>
    eventually('the wrong node has all partitions', async () => {
      const { nodes, partitions } = await cluster()
      const own = nodes.find(({ pid }) => pid === child.pid)
      return partitions.every(({ owner }) => owner === own?.id) && partitions.map(({ epoch }) => epoch)
    })
  return { child, wrong, epochs }
}

function isNear(t: Test, what: string, moment: unknown, offset_ms = 0): void {
  const ms = typeof moment === 'string' ? Date.parse(moment) : Number(moment)
  t.ok(Math.abs(ms - Date.now() - offset_ms) < NEAR_MS, `${what}: ${moment}`)
}

/** Returns the moment of creation that an id contains. */
function momentOf(id: string): number {
  const bare = id.slice(id.indexOf('_') + 1)
  if (!isObjectId(bare)) throw new Error(`not an id: ${id}`)
  return Number.parseInt(bare.slice(0, 8), 16) * 1000
}

async function checkMessage(t: Test, tenant: Tenant, path: string): Promise<void> {
  right.sink.answer(path, (_, count) => (count === 0 ? 500 : 200))
  const { id: webhook_id, secret } = await tenant.subscribe(path, ['whatsapp.message.sent'])
  const keyed = { headers: { 'idempotency-key': 'once' } }
  const sent = await tenant.send('+15550180000', {}, keyed)
  t.equal(sent.status, 202, sent.text)
  const reset = Number(sent.headers['x-ratelimit-reset-minute'])
  t.ok(reset > 0 && reset <= 60, `the minute ends in ${reset} s`)
  isNear(t, 'the id of a message', momentOf(sent.body.id))
  const message = await tenant.message(sent.body.id, 'read')
  isNear(t, 'its creation', message.created_at)
  isNear(t, 'when it was read', message.read_at)
  t.equal((await tenant.send('+15550180000', {}, keyed)).headers['idempotent-replayed'], 'true')

  const [first, second] = await eventually('a delivery is repeated', () => {
    const calls = right.sink.calls(path)
    return calls.length >= 2 && calls
  })
  for (const { headers, raw } of [first!, second!]) {
    const verdict = verify(secret, headers, Buffer.from(raw))
    t.ok(isGood(verdict), `its signature is fresh: ${JSON.stringify(verdict)}`)
  }
  const deliveries = await tenant.deliveries(webhook_id)
  t.ok(deliveries.length > 0, 'deliveries of today are listed')
  for (const { id, created_at } of deliveries) {
    isNear(t, 'the id of a delivery', momentOf(id))
    isNear(t, 'its creation', created_at)
  }
}

async function checkMail(t: Test, world: Outside, tenant: Tenant): Promise<void> {
  const from = `a@${tenant.project_id}.test`
  const credentials = { smtp_url: smtp.url.replace('//', '//user:word@'), from }
  const { webhook_path } = await made(
    world.operator('POST', 'channels', {
      project_id: tenant.project_id,
      channel_type: 'email',
      name: 'Mail',
      provider: 'cloud',
      credentials: { ...credentials, inbound_secret: SECRET },
    }),
  )
  const bring = async (signed_at: number) => {
    const raw = JSON.stringify({ message_id: `<${signed_at}@example.com>`, from: { address: 'a@b.test' }, text: 'Hi' })
    const signature = signCall(SECRET, raw, new Date(signed_at))
    const headers = { 'content-type': 'application/json', 'x-parley-signature': signature }
    return (await world.http('POST', `${world.base_url}${webhook_path}`, { raw, headers })).status
  }
  t.equal(await bring(Date.now()), 200, 'a call signed just now is taken')
  for (const hours of [-31 * 24, -2, 2, 31 * 24]) {
    t.equal(await bring(Date.now() + hours * HOUR_MS), 401, `a call signed ${hours} hours from now is refused`)
  }
  await made(tenant.api('POST', 'messages', { channel: 'email', to: 'c@d.test', message: text('Hello') }))
  const mail = await eventually('a mail goes out', () => smtp.mails.find((one) => one.from === from))
  isNear(t, 'the date of a mail', mail.headers.date)
}

async function checkAccess(t: Test, world: Outside, tenant: Tenant): Promise<void> {
  const { project_id, user_id } = tenant
  const token = (expires_at: string) =>
    world.operator('POST', 'tokens', { project_id, user_id, name: 'Short', scopes: ['messages:read'], expires_at })
  t.equal((await token(new Date(Date.now() - 60_000).toISOString())).status, 400, 'an end in the past')
  const { token: short, created_at } = await made(token(new Date(Date.now() + HOUR_MS).toISOString()))
  isNear(t, 'the creation of a token', created_at)
  const me = () => world.http('GET', `${world.base_url}/v1/messages?limit=1`, { token: short })
  t.equal((await me()).status, 200, 'a token that ends in an hour is valid')

  const agent = await makeAgent(world, tenant)
  const console = await signIn(world, agent)
  isNear(t, 'the end of a session', console.session.expires_at, 12 * HOUR_MS)
  t.equal((await console.call('GET', 'session')).status, 200)
}

async function checkMedia(t: Test, tenant: Tenant): Promise<void> {
  const { status, body } = await upload(tenant, Buffer.from('%PDF-1.4\n%%EOF'), { filename: 'a.pdf' })
  t.equal(status, 200)
  isNear(t, 'the id of a file', momentOf(body.media_id))
  const days = Math.round((Date.parse(body.expires_at) - Date.now()) / DAY_MS)
  t.ok(days > 0 && days <= 31, `it is kept ${days} days`)
  const seen = await tenant.api('GET', `media/${body.media_id}?phone_number_id=${tenant.number.phone_number_id}`)
  t.equal(seen.status, 200, seen.text)
}

/** The nodes take turns at the queue of the index; the owner of the project converts. */
async function checkKnowledge(t: Test, tenant: Tenant): Promise<void> {
  const { _id } = (await importFile(tenant, '# A takahe', { filename: 'takahe.md' })).body
  isNear(t, 'the id of a document', momentOf(_id))
  t.match(await ended(tenant, _id), { status: 'done', attempts: 1 })
  const [node] = await indexed(tenant, [_id])
  isNear(t, 'its change', node!.updated_at)
  t.same(await foundBy(tenant, 'takahe'), ['A takahe'])
  const [media] = await database.execute<{ is_over: boolean }>(
    'select expires_at <= now() as is_over from media where project_id = ? and mime_type = ?',
    [tenant.project_id, 'application/octet-stream'],
  )
  t.same(media, { is_over: true }, 'the file of a converted document is not kept')
  // A failed attempt is repeated after seconds.
  const refused = `http://127.0.0.1:${await freePort()}/page`
  const again = (await importUrl(tenant, refused)).body._id
  await eventually('the import is tried again', async () => (await importOf(tenant, again)).attempts >= 2)
}

/** Points of a member of ten hours expire after a day, and those of a member of thirty hours have expired. */
async function checkLoyalty(t: Test, { operator }: Outside, { project_id, company_id }: Tenant): Promise<void> {
  const rules = (expiration_days: number) => ({ rules: { points: { expiration_days } } })
  const program = await made(operator('POST', 'programs', { project_id, name: 'Club', type: 'points', ...rules(2) }))
  const member = async (hours: number): Promise<() => Promise<Json>> => {
    const { _id: customer_id } = await made(operator('POST', 'customers', { company_id, full_name: 'Ana' }))
    const enrolled_at = new Date(Date.now() - hours * HOUR_MS).toISOString()
    const { _id } = await made(operator('POST', 'memberships', { program_id: program._id, customer_id, enrolled_at }))
    await made(operator('POST', `memberships/${_id}/ledger`, { kind: 'earn', amount: 7 }))
    return () => made(operator('GET', `memberships/${_id}`))
  }
  const [young, old] = [await member(10), await member(30)]
  t.match(await made(operator('PATCH', `programs/${program._id}`, rules(1))), rules(1))
  const { balance_points, expired_at } = await eventually('the expiry is written', async () => {
    const seen = await old()
    return seen.entry_count === 2 && seen
  })
  t.equal(balance_points, 0)
  isNear(t, 'the expiry', expired_at)
  t.match(await young(), { balance_points: 7, entry_count: 1, expired_at: null })
}

async function checkAll(t: Test, world: Outside, name: string): Promise<void> {
  const tenant = await makeTenant(world)
  isNear(t, 'the id of a company', momentOf(tenant.company_id))
  const company: Json = await made(world.operator('GET', `companies/${tenant.company_id}`))
  isNear(t, 'its creation', company.created_at)
  await checkMessage(t, tenant, name.replaceAll(' ', '-'))
  await checkMail(t, world, tenant)
  await checkAccess(t, world, tenant)
  await checkMedia(t, tenant)
  await checkKnowledge(t, tenant)
  await checkLoyalty(t, world, tenant)
}

t.test('a node a month ahead, set back by a month and two hours', async (t) => {
  const before = await makeTenant(right)
  const { id } = (await before.send('+15550180000')).body
  await before.message(id, 'read')
  const events = async () => (await database.execute<{ n: number }>('select count(*)::int as n from event'))[0]!.n
  const kept = await events()
  const { child, wrong, epochs } = await startWrong(t, 31 * DAY_MS, -2 * HOUR_MS)
  const before_shift = await epochs()
  t.ok((await events()) >= kept, 'the start of the node drops nothing of today')

  await checkAll(t, wrong, 'a month ahead')
  process.kill(child.pid, 'SIGUSR2')
  await checkAll(t, wrong, 'two hours behind')

  await pause(3000)
  t.same(await epochs(), before_shift, 'the node keeps all its partitions meanwhile')
  t.equal((await before.message(id, 'read')).id, id)
  t.equal(await child.end('SIGTERM'), 0, child.said())
})
