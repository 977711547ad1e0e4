/** `PARLEY_SECRET` is changed while the values that it seals are in use. */
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import {
  AgentTool,
  checkSecret,
  confirmSecret,
  type Database,
  Idempotency,
  objectId,
  openDatabase,
  openVault,
  RotationRefused,
  readSecretStatus,
  rotateSecrets,
  SecretMismatch,
} from '../../storage/mod.ts'
import { sealedPlaces } from '../../storage/vault/sealed_places.ts'
import { type Owner, TEST_SECRET, testDatabase } from '../support/mod.ts'
import { storeChannel, storeSubscription, storeTenant } from './records.ts'

const NEW = 'the secret of the coming year'
/** The old secret has a comma. */
const BOTH = JSON.stringify([NEW, TEST_SECRET])
const [OLD_KEY, NEW_KEY] = [TEST_SECRET, NEW].map((secret) => openVault(secret).key_ids[0]!) as [string, string]

type Scene = { old: Database; rotating: Database; open(secret: string): Promise<Database> }

/** A database with some values in each place, sealed with the old secret, and a process that has both. */
async function prepare(t: Owner, subscriptions = 5): Promise<Scene> {
  const { url, database: old } = await testDatabase(t)
  const open = async (secret: string) => {
    const database = await openDatabase({ url, secret, pool_size: 4 })
    t.teardown(() => database.close())
    return database
  }
  await confirmSecret(old)
  const { project } = await storeTenant(old)
  const { vault } = old
  const _id = objectId()
  await storeChannel(old, project, { _id, credentials: vault.seal(_id, 'credentials', '{"key":"1"}') })
  await storeChannel(old, project, { credentials: null })
  for (let n = 0; n < subscriptions; n++) await storeSubscription(old, project)
  const tool = objectId()
  await old.em().insert(AgentTool, {
    _id: tool,
    company_id: project.company_id,
    project_id: project._id,
    name: 'look_up',
    description: 'Looks up.',
    url: 'https://example.com',
    method: 'POST',
    headers: vault.seal(tool, 'headers', '{"x":"1"}'),
    parameters: {},
    timeout_ms: 1000,
    is_active: true,
    created_at: new Date(),
    updated_at: new Date(),
  })
  const answers = [
    { sealed: vault.seal(`${project._id} create_webhook one:key`, 'answer', '{"secret":"whsec_1"}') },
    { json: '{"text":"\\u0000 of a client"}' },
  ]
  for (const [n, body] of answers.entries()) {
    const row = { project_id: project._id, route: 'create_webhook', key: n === 0 ? 'one:key' : 'other' }
    await old.em().insert(Idempotency, { ...row, body_hash: 'x', status: 201, body, created_at: new Date() })
  }
  return { old, rotating: await open(BOTH), open }
}

/** Counts what looks like an envelope, in any table, by the key that it names. */
async function envelopes(database: Database): Promise<Record<string, number>> {
  const [all] = await database.execute<{ sql: string }>(
    `select string_agg(format('select t::text as row from %I t', relname), ' union all ') as sql from pg_class
     where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace`,
  )
  const found: Record<string, number> = {}
  for (const { row } of await database.execute<{ row: string }>(all!.sql)) {
    for (const [, key = 'none'] of row.matchAll(/v1:[\w-]{38,}(?::(\w+))?/g)) found[key] = (found[key] ?? 0) + 1
  }
  return found
}

const opens = async (database: Database) => {
  const rows = await database.execute<{ id: string; secret: string; headers: string }>('select * from subscription')
  return rows.every(
    ({ id, secret, headers }) =>
      database.vault.open(id, 'secret', secret) === 'whsec_x' &&
      database.vault.open(id, 'headers', headers) === '{"x-key":"1"}',
  )
}

t.test('every value is sealed anew, whatever release sealed it, and the old secret may go', async (t) => {
  const { rotating, old, open } = await prepare(t)
  await old.execute(`update subscription set secret = substring(secret from '^v1:[^:]+')`)
  t.strictSame(await envelopes(old), { [OLD_KEY]: 9, none: 5 })
  const added = await open(JSON.stringify([TEST_SECRET, NEW]))
  t.match(await readSecretStatus(added), { may_drop: [], obstacles: [] }, 'a secret that was just added may not go')
  const before = await readSecretStatus(rotating)
  t.match(before.keys, [
    { id: NEW_KEY, is_known: true, seals: true, values: 0 },
    { id: OLD_KEY, is_known: true, seals: false, values: 14 },
  ])
  t.match(before, {
    may_drop: [],
    rotation: null,
    obstacles: [/^14 stored values need the key \w{8}: run `parley secrets rotate`\.$/],
  })
  const told: number[][] = []
  const result = await rotateSecrets(rotating, { batch: 2, progress: (...numbers) => told.push(numbers) })
  t.strictSame(result, { key_id: NEW_KEY, resealed: 14, unopened: 0, examples: [] })
  t.strictSame(
    [told[0], told.at(-1)],
    [
      [0, 14],
      [14, 14],
    ],
  )
  t.strictSame(await envelopes(old), { [NEW_KEY]: 14 })
  t.match(await readSecretStatus(rotating), {
    may_drop: [OLD_KEY],
    links_until: /^\d{4}-/,
    obstacles: [],
    rotation: { resealed: 14, finished_at: /^\d{4}-/, replaced: [OLD_KEY] },
  })
  const next = await open(JSON.stringify([NEW, TEST_SECRET, 'the secret of the year after']))
  t.strictSame((await readSecretStatus(next)).may_drop, [OLD_KEY], 'the next secret may not go')
  await old.execute('update secret_rotation set finished_at = null')
  t.match(await readSecretStatus(rotating), { may_drop: [], obstacles: [/^The rotation is not finished: run/] })
  t.match(await rotateSecrets(rotating), { resealed: 14 })
  const later = await open(NEW)
  await checkSecret(later)
  t.ok(await opens(later))
  const [answer] = await later.execute<{ body: { sealed: string }; project_id: string }>(
    `select * from idempotency where key = 'one:key'`,
  )
  const place = `${answer!.project_id} create_webhook one:key`
  t.equal(later.vault.open(place, 'answer', answer!.body.sealed), '{"secret":"whsec_1"}')
  t.match(await readSecretStatus(later), { may_drop: [], obstacles: [], links_until: null })
  await t.rejects(
    checkSecret(old),
    new SecretMismatch(
      `The database was made with another PARLEY_SECRET, so nothing that is sealed in it can be read: set the PARLEY_SECRET it was made with (its key is ${NEW_KEY}; this one has ${OLD_KEY}).`,
    ),
  )
  t.match(await rotateSecrets(rotating), { resealed: 0, unopened: 0 }, 'nothing is left to do')
})

t.test('a rotation that is stopped continues where it was', async (t) => {
  const { rotating, old } = await prepare(t)
  const stop = new AbortController()
  const progress = (done: number) => done === 4 && stop.abort()
  await t.rejects(rotateSecrets(rotating, { batch: 1, progress, signal: stop.signal }), { name: 'AbortError' })
  t.strictSame(await envelopes(old), { [OLD_KEY]: 10, [NEW_KEY]: 4 })
  t.match(await readSecretStatus(rotating), { rotation: { resealed: 4, finished_at: null }, may_drop: [] })
  const told: number[][] = []
  const again = await rotateSecrets(rotating, { batch: 1, progress: (...numbers) => told.push(numbers) })
  t.match(again, { resealed: 14, unopened: 0 })
  t.strictSame(told[0], [4, 14])
  t.strictSame(await envelopes(old), { [NEW_KEY]: 14 })
})

t.test('a value that changes meanwhile stays as it was changed, and a held row is waited for', async (t) => {
  const { rotating, old, open } = await prepare(t)
  const [row] = await old.execute<{ id: string }>('select id from subscription order by id limit 1')
  const id = row!.id
  const session = await old.session()
  t.teardown(() => session.end())
  await session.query(`begin; select 1 from subscription where id = '${id}' for update`)
  const rotation = rotateSecrets(rotating)
  for (let done = 0; done === 0; ) done = (await readSecretStatus(rotating)).rotation?.resealed ?? 0
  await t.rejects(rotateSecrets(await open(BOTH)), RotationRefused, 'one at a time')
  // The canary comes after the subscriptions, so they are waiting for the row.
  t.ok((await envelopes(old))[OLD_KEY])
  const own = rotating.vault.seal(id, 'secret', 'whsec_other')
  await session.query(`update subscription set secret = '${own}' where id = '${id}'; commit`)
  t.match(await rotation, { unopened: 0 })
  const [after] = await old.execute<{ secret: string }>(`select secret from subscription where id = '${id}'`)
  t.equal(after!.secret, own)
  t.strictSame(Object.keys(await envelopes(old)), [NEW_KEY])
})

t.test('a value whose key is missing is named, and keeps no other value from its turn', async (t) => {
  const { rotating, old } = await prepare(t)
  const third = openVault('a secret that nobody has any more')
  const [row] = await old.execute<{ id: string }>('select id from subscription order by id limit 1')
  const id = row!.id
  await old.execute('update subscription set secret = ? where id = ?', [third.seal(id, 'secret', 'lost'), id])
  const reason = new RegExp(
    `^secret of ${id} is sealed with the key ${third.key_ids[0]}, which PARLEY_SECRET does not have`,
  )
  t.match(await rotateSecrets(rotating), {
    resealed: 13,
    unopened: 1,
    examples: [{ table: 'subscription', record_id: id, reason }],
  })
  t.strictSame(await envelopes(old), { [NEW_KEY]: 13, [third.key_ids[0]!]: 1 })
  const status = await readSecretStatus(rotating)
  t.match(status.keys[2], { id: third.key_ids[0], is_known: false, values: 1 })
  t.match(status, {
    may_drop: [],
    obstacles: [/^1 stored value needs the key \w{8}, which PARLEY_SECRET does not have/],
  })
})

t.test('it begins only when every live node seals with the new secret', async (t) => {
  const { rotating, old } = await prepare(t, 1)
  const facts = [{}, { keys: [OLD_KEY] }, { keys: [OLD_KEY, NEW_KEY] }, { keys: [NEW_KEY, OLD_KEY] }]
  for (const [n, own] of facts.entries()) {
    await old.execute(`select lease_join(?, ?::jsonb, 1)`, [`node${n}`, JSON.stringify({ host: 'h', pid: n, ...own })])
  }
  const refusals = [
    'The node node0 (h:0) runs a release that knows one secret only: upgrade it first.',
    `The node node1 (h:1) does not have the key ${NEW_KEY}: restart it with that secret as the second of PARLEY_SECRET.`,
    `The node node2 (h:2) still seals with the key ${OLD_KEY}: restart it with the secret of ${NEW_KEY} first in PARLEY_SECRET.`,
  ]
  await t.rejects(rotateSecrets(rotating), new RotationRefused(refusals.join('\n')))
  t.strictSame((await readSecretStatus(rotating)).obstacles.slice(0, 3), refusals)
  // A node that was killed leaves its row.
  await old.execute(`update node set renewed_at = now() - interval '1 hour' where id <> 'node3'`)
  t.match(await rotateSecrets(rotating), { unopened: 0 })
})

t.test('no value is sealed in a place that a rotation would not find', (t) => {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const files = globSync('{storage,actors,http,runtime}/**/*.ts', { cwd: root })
  const sealing = files.filter((file) =>
    /\bvault\.seal\(|\bsealHeaders\(/.test(readFileSync(`${root}/${file}`, 'utf8')),
  )
  const known = [
    'actors/project/agent_tools/feature.ts',
    'actors/project/requests/stored_answer.ts',
    'actors/project/webhooks/create_webhook.ts',
    'actors/project/webhooks/rotate_webhook_secret.ts',
    'actors/project/webhooks/signing_keys.ts',
    'actors/project/webhooks/update_webhook.ts',
    'storage/secrets/canary.ts',
    'storage/vault/credentials.ts',
    'storage/data_rights/proof.ts',
    'storage/secrets/sealed_headers.ts',
    'storage/secrets/rotation.ts',
    'storage/setup/channel.ts',
  ]
  const others = sealing.filter((file) => !known.includes(file))
  t.strictSame(others, [], 'add the table and column of a new call to sealed_places.ts, and its file here')
  t.strictSame(
    sealedPlaces.map(({ table, name }) => `${table}.${name}`),
    [
      'channel.credentials',
      'subscription.secret',
      'subscription.previous_secret',
      'subscription.headers',
      'webhook_key.sealed',
      'agent_tool.headers',
      'idempotency.answer',
      'data_erasure_pepper.sealed',
      'vault_canary.sealed',
    ],
  )
  t.end()
})
