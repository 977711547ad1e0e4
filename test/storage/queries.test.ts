import t from 'tap'
import { toDeliveryRecord, toMessageRecord, toWebhookRecord } from '../../actors/mod.ts'
import {
  findDelivery,
  findIdentity,
  findMessage,
  findToken,
  findTokenByHash,
  findWebhook,
  hashToken,
  listDeliveries,
  listLiveTokens,
  listMessages,
  listProjects,
  listTemplates,
  listWebhooks,
  objectId,
  replaceTemplates,
  Token,
  User,
} from '../../storage/mod.ts'
import { testDatabase } from '../support/mod.ts'
import { storeChannel, storeDelivery, storeMessage, storeSubscription, storeTenant } from './records.ts'

t.test('messages are listed newest first, by pages that overlap nowhere and leave nothing out', async (t) => {
  const { database } = await testDatabase(t)
  const { project } = await storeTenant(database)
  const other = await storeTenant(database)
  const stored: string[] = []
  for (let index = 0; index < 7; index++) stored.push((await storeMessage(database, project)).id)
  await storeMessage(database, other.project)
  const seen: string[] = []
  let cursor: string | null = null
  let pages = 0
  do {
    const page = await listMessages(database, project._id, {}, { limit: 3, cursor: cursor ?? undefined })
    seen.push(...page.data.map(({ id }) => id))
    cursor = page.next_cursor
    pages++
  } while (cursor)
  t.same(seen, stored.reverse())
  t.equal(pages, 3)
  const exact = await listMessages(database, project._id, {}, { limit: 7 })
  t.equal(exact.next_cursor, null, 'a full last page is the last page')
})

t.test('messages are filtered by contact, channel and status', async (t) => {
  const { database } = await testDatabase(t)
  const { project } = await storeTenant(database)
  const chat_user = objectId()
  const mine = await storeMessage(database, project, { chat_user })
  const failed = await storeMessage(database, project, { status: 'failed', failed_at: new Date() })
  const received = await storeMessage(database, project, {
    channel: 'instagram',
    direction: 'inbound',
    status: 'received',
  })
  const ids = async (filter: Parameters<typeof listMessages>[2]) =>
    (await listMessages(database, project._id, filter, { limit: 50 })).data.map(({ id }) => id)
  t.same(await ids({ chat_user }), [mine.id])
  t.same(await ids({ status: 'failed' }), [failed.id])
  t.same(await ids({ channel: 'instagram' }), [received.id])
  t.same(await ids({ channel: 'instagram', status: 'failed' }), [])
  await t.rejects(storeMessage(database, project, { status: 'failed' }), /message_failed_at_check/)
  await t.rejects(storeMessage(database, project, { status: 'received' }), /message_status_check/)
})

t.test('a message is found in its project only, and keeps its document unchanged', async (t) => {
  const { database } = await testDatabase(t)
  const { project } = await storeTenant(database)
  const other = await storeTenant(database)
  const message = { type: 'text', body: 'a', preview_url: true, z: [1, { y: null }], a: 'b' }
  const { id, created_at } = await storeMessage(database, project, { message })
  const found = await findMessage(database, project._id, id)
  t.equal(JSON.stringify(found?.message), JSON.stringify(message))
  t.same(found?.created_at, created_at)
  t.same([found?.sent_at, found?.context, found?.to], [null, null, '+5215512345678'])
  t.notOk(Object.hasOwn(toMessageRecord(found!), 'company_id'))
  t.equal(await findMessage(database, other.project._id, id), undefined)
})

t.test('webhooks show everything but the secret, and not when deleted', async (t) => {
  const { database } = await testDatabase(t)
  const { project } = await storeTenant(database)
  const other = await storeTenant(database)
  const kept = await storeSubscription(database, project)
  const deleted = await storeSubscription(database, project, { deleted_at: new Date() })
  const rows = await listWebhooks(database, project._id)
  const list = rows.map((row) => toWebhookRecord(database, row))
  t.same(
    list.map(({ id }) => id),
    [kept.id],
  )
  t.same(list[0]?.headers, { 'x-key': '1' })
  t.notOk('secret' in list[0]!)
  t.same(toWebhookRecord(database, (await findWebhook(database, project._id, kept.id))!), list[0])
  t.equal(await findWebhook(database, project._id, deleted.id), undefined)
  t.equal(await findWebhook(database, other.project._id, kept.id), undefined)
})

t.test('deliveries are paged by id and filtered by status', async (t) => {
  const { database } = await testDatabase(t)
  const { project } = await storeTenant(database)
  const subscription = await storeSubscription(database, project)
  const stored = []
  for (const status of ['success', 'dead', 'failed', 'success', 'dead'] as const) {
    stored.push((await storeDelivery(database, subscription, { status })).id)
  }
  const first = await listDeliveries(database, project._id, subscription.id, {}, { limit: 2 })
  t.same(
    first.data.map(({ id }) => id),
    [stored[4], stored[3]],
  )
  t.equal(first.next_cursor, stored[3])
  const dead = await listDeliveries(database, project._id, subscription.id, { status: 'dead' }, { limit: 2 })
  t.same(
    dead.data.map(({ id }) => id),
    [stored[4], stored[1]],
  )
  t.equal(dead.next_cursor, null)
  const foreign = await listDeliveries(database, objectId(), subscription.id, {}, { limit: 2 })
  t.same(foreign, { data: [], next_cursor: null, has_more: false })
  const one = await findDelivery(database, project._id, subscription.id, stored[4]!)
  t.same(toDeliveryRecord(one!), toDeliveryRecord(first.data[0]!))
  t.equal(await findDelivery(database, objectId(), subscription.id, stored[4]!), undefined)
  t.equal(await findDelivery(database, project._id, 'wh_x', stored[4]!), undefined)
})

t.test('a token is found by its hash, with its user and project', async (t) => {
  const { database } = await testDatabase(t)
  const { company, project, user, token, secret } = await storeTenant(database)
  t.same(await findTokenByHash(database, hashToken(secret)), {
    token_id: token._id,
    company_id: company._id,
    project_id: project._id,
    user_id: user._id,
  })
  t.equal(await findTokenByHash(database, hashToken('svc_pk_x')), undefined)
  t.match(await findIdentity(database, token._id), {
    token: { id: token._id, name: 'CI', prefix: token.prefix, expires_at: null },
    company: { id: company._id, name: 'Acme' },
    project: { id: project._id, name: 'Support' },
    user: { id: user._id, full_name: 'Ana Díaz', email: user.email },
    scopes: ['messages:read'],
  })
  t.same(await listProjects(database, company._id, project._id), [
    { id: project._id, name: 'Support', is_current: true },
  ])
})

t.test('the tokens that count are those neither revoked nor expired', async (t) => {
  const { database } = await testDatabase(t)
  const { project, user, token } = await storeTenant(database)
  const now = new Date()
  const live = async () => listLiveTokens(database, [project._id], now)
  t.match(await live(), [{ token_id: token._id, scopes: ['messages:read'], user_is_active: true }])
  await database.em().nativeUpdate(User, user._id, { is_active: false })
  t.match(await live(), [{ token_id: token._id, user_is_active: false }])
  await database.em().nativeUpdate(Token, token._id, { expires_at: now })
  t.same(await live(), [])
  await database.em().nativeUpdate(Token, token._id, { expires_at: null, revoked_at: now })
  t.same(await live(), [])
  t.match(await findToken(database, project._id, token._id), { token_id: token._id, revoked_at: now })
  t.equal(await findToken(database, objectId(), token._id), undefined)
})

t.test('templates follow the provider and are listed with filters', async (t) => {
  const { database } = await testDatabase(t)
  const { project } = await storeTenant(database)
  const channel = await storeChannel(database, project)
  const now = new Date()
  const template = (name: string, language: string) => ({
    name,
    language,
    status: 'APPROVED',
    category: 'UTILITY',
    components: [{ type: 'BODY', text: `hello {{1}} of ${name}` }],
  })
  const sync = (...templates: ReturnType<typeof template>[]) => replaceTemplates(database, channel, templates, now)
  const list = async (filter: Parameters<typeof listTemplates>[2] = {}, page = { limit: 50 }) =>
    (await listTemplates(database, project._id, filter, page)).data.map(({ name, language }) => `${name} ${language}`)
  await sync(template('a', 'en'), template('a', 'es'), template('b', 'en'))
  t.same((await list()).sort(), ['a en', 'a es', 'b en'])
  t.same((await list({ name: 'a' })).sort(), ['a en', 'a es'])
  t.same(await list({ name: 'a', language: 'es', channel_id: channel._id }), ['a es'])
  t.same(await list({ channel_id: objectId() }), [])
  const first = await listTemplates(database, project._id, {}, { limit: 2 })
  const rest = await listTemplates(database, project._id, {}, { limit: 2, cursor: first.next_cursor! })
  t.equal(rest.data.length, 1)
  t.equal(rest.next_cursor, null)
  await sync(template('b', 'en'))
  t.same(await list(), ['b en'])
  await sync()
  t.same(await list(), [])
})
