/** Calls of hooks by strangers, who may invent ids of channels. */
import t from 'tap'
import type { Hook, Providers } from '../../actors/mod.ts'
import { providerHook } from '../../http/routes/providers/hook.ts'
import type { ProviderHook } from '../../http/routes/providers/providers.ts'
import type { Runtime } from '../../runtime/mod.ts'
import type { Sql } from '../../storage/mod.ts'
import { storeChannel } from '../storage/records.ts'
import type { Owner } from '../support/mod.ts'
import { type ServerOptions, startTestServer } from './test_server.ts'

const runtime = { ask: async () => ({ status: 200, body: 'taken' }) } as unknown as Runtime
const numbered = (n: number) => n.toString(16).padStart(24, '0')

/** Starts a hook, and counts the questions to the database about channels. */
async function startHook(t: Owner, hook: Partial<Hook> = {}, config: ServerOptions['config'] = { address_people: 10 }) {
  let provider: ProviderHook | undefined
  const hooks = { provider: (...call: Parameters<ProviderHook>) => provider!(...call) }
  const server = await startTestServer(t, { config, hooks })
  const { database } = server
  const providers = { of: () => ({ hook: { signature_header: 'x-signature', ...hook } }) } as unknown as Providers
  const counted = { looks: 0 }
  const execute = database.execute.bind(database)
  database.execute = ((statement: Sql) => {
    if (/from "channel"/.test(statement.sql)) counted.looks++
    return execute(statement)
  }) as typeof database.execute
  provider = providerHook(runtime, database, providers)
  const ask = async (channel_id: string, method = 'GET') => {
    const raw = method === 'GET' ? undefined : '{}'
    return (await server.call(`/providers/whatsapp/${channel_id}`, { method, raw, token: null })).status
  }
  return { ...server, ask, counted }
}

t.test('a client that makes up channels is refused after some, and calls of a known channel go on', async (t) => {
  const { ask, database, tenant } = await startHook(t)
  const { _id } = await storeChannel(database, tenant.project)
  t.equal(await ask(_id, 'POST'), 200)
  const statuses = []
  for (let n = 0; n < 17; n++) statuses.push(await ask(numbered(n), n % 2 ? 'GET' : 'POST'))
  t.strictSame(statuses, [...Array(15).fill(404), 429, 429])
  t.equal(await ask(_id, 'POST'), 200)
})

t.test('a channel that was removed costs its provider nothing beyond the first call', async (t) => {
  const { ask, counted } = await startHook(t)
  for (let n = 0; n < 20; n++) t.equal(await ask(numbered(1), 'POST'), 404)
  t.ok(counted.looks > 0 && counted.looks < 20, `${counted.looks} look-ups`)
})

t.test('unknown channels of the same moment are looked up together', async (t) => {
  const { ask, counted } = await startHook(t, {}, { address_people: 1000 })
  const statuses = await Promise.all(Array.from({ length: 60 }, (_, n) => ask(numbered(n))))
  t.strictSame(statuses, Array(60).fill(404))
  t.ok(counted.looks > 0 && counted.looks < 30, `${counted.looks} look-ups`)
})

t.test('a question is refused without a look-up when the provider of the channel asks none', async (t) => {
  const { ask, counted, database, tenant } = await startHook(t)
  const { _id } = await storeChannel(database, tenant.project)
  t.equal(await ask(_id), 404)
  const before = counted.looks
  t.equal(before, 1)
  for (let n = 0; n < 5; n++) t.equal(await ask(_id), 404)
  t.equal(counted.looks, before)
})
