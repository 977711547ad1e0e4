/** The check of a channel of each kind: its provider is asked when the channel is connected, changed and checked. */
import t from 'tap'
import { startSimulator } from '../../http/simulator/mod.ts'
import { startMailServer } from '../actors/providers/email/mail_server.ts'
import { freePort, testDatabase } from '../support/mod.ts'
import { startOperator } from './operator.ts'

const api = '/admin/v1'
const meta = { account_id: '17841400008460056', access_token: 'EAA', app_secret: 'secret', verify_token: 'verify' }
const tiktok = { account_id: '7215532480182469637', access_token: 'act', app_secret: 'secret' }
const bot = { bot_token: '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw', webhook_secret: 'a-secret_token' }
const phone = { instance: 'shop', api_key: 'the-key', webhook_secret: 'a-secret' }
const number = {
  phone_number_id: '106540352242922',
  business_account_id: '102290129340398',
  access_token: 'EAA',
  app_secret: 'secret',
  verify_token: 'verify',
}

const simulator = await startSimulator({
  numbers: [{ ...number, display_phone_number: '+15550783881' }],
  accounts: [
    ...(['instagram', 'messenger', 'facebook'] as const).map((channel) => ({ channel, ...meta })),
    { channel: 'tiktok', ...tiktok },
  ],
  telegram: [bot],
  evolution: [{ instance: phone.instance, api_key: phone.api_key, number: '5511988887777' }],
})
t.teardown(() => simulator.close())
const mails = await startMailServer(t)
const mail = { smtp_url: mails.url, from: 'support@parley.test', inbound_secret: 'a secret of some length' }
const nowhere = await freePort()

const away = { api_base_url: `http://127.0.0.1:${nowhere}` }
const near = { api_base_url: simulator.url }
const no_token = { access_token: 'wrong' }

type Case = {
  channel_type: string
  provider?: string
  good: Record<string, string>
  wrong: Record<string, string>
  /** The provider's answer, as the operator reads it. */
  reason: RegExp
  away?: Record<string, string>
  has_templates?: boolean
}

const cases: Case[] = [
  { channel_type: 'whatsapp', good: number, wrong: no_token, reason: /access token.*\(190\)$/i, has_templates: true },
  {
    channel_type: 'whatsapp',
    provider: 'qr',
    good: phone,
    wrong: { api_key: 'wrong' },
    reason: /\(401\)$/,
  },
  { channel_type: 'instagram', good: meta, wrong: no_token, reason: /access token.*\(190\)$/i },
  { channel_type: 'messenger', good: meta, wrong: no_token, reason: /access token.*\(190\)$/i },
  { channel_type: 'facebook', good: meta, wrong: no_token, reason: /access token.*\(190\)$/i },
  { channel_type: 'telegram', good: bot, wrong: { bot_token: '110201543:other' }, reason: /^Unauthorized \(401\)$/ },
  { channel_type: 'tiktok', good: tiktok, wrong: no_token, reason: /\(40105\)$/ },
  {
    channel_type: 'email',
    good: mail,
    wrong: { smtp_url: mails.url.replace(/:[^:@]+@/, ':wrong@') },
    reason: /credentials invalid.*\(535\)$/i,
    away: { smtp_url: `smtp://user:password@127.0.0.1:${nowhere}` },
  },
]

const { database } = await testDatabase(t)
const { call } = await startOperator(t, database)
const company = (await call('POST', `${api}/companies`, { name: 'Acme' })).body
const project = (await call('POST', `${api}/projects`, { company_id: company._id, name: 'Support' })).body

for (const { channel_type, provider = 'simulator', good, wrong, reason, has_templates = false, ...more } of cases) {
  t.test(`${channel_type} (${provider}): the provider's word decides, and only its word`, async (t) => {
    const place = more.away ? {} : near
    const fields = { project_id: project._id, channel_type, name: 'One', provider }
    const made = await call('POST', `${api}/channels`, { ...fields, credentials: { ...good, ...place } })
    t.match(made, { status: 201, body: { status: 'connected', status_reason: null } }, JSON.stringify(made.body))
    const target = `${api}/channels/${made.body._id}`
    const change = async (credentials: object) => (await call('PATCH', target, { credentials })).body
    const check = async () => (await call('POST', `${target}/check`)).body

    t.match(await change(wrong), { status: 'disconnected', status_reason: reason })
    t.match(await check(), { ok: false, reason, templates: { synced: 0 }, channel: { status: 'disconnected' } })
    t.match(await change(good), { status: 'connected', status_reason: null })
    const { templates, ...checked } = await check()
    t.match(checked, { ok: true, reason: null, channel: { status: 'connected' } })
    t.equal(templates.synced > 0, has_templates)
    t.equal(templates.reason, null)

    const lost = /^The provider could not be reached: connection_refused\.$/
    await change(place)
    t.match((await call('PATCH', target, { name: 'Two' })).body, { status: 'connected', status_reason: null })
    t.match(await change(more.away ?? away), { status: 'unverified', status_reason: lost })
    t.match(await check(), { ok: false, reason: lost, channel: { status: 'unverified', status_reason: lost } })
    await change({ ...good, ...place, ...wrong })
    t.match(await change({ ...good, ...(more.away ?? away) }), { status: 'unverified', status_reason: lost })
    const { body } = await call('POST', `${api}/channels`, {
      ...fields,
      name: 'Three',
      project_id: (await call('POST', `${api}/projects`, { company_id: company._id, name: 'Away' })).body._id,
      credentials: { ...good, ...(more.away ?? away) },
    })
    const first = provider === 'qr' ? 'disconnected' : 'unverified'
    t.match(body, { status: first, status_reason: lost }, 'new, and never asked')
  })
}

t.test('a web chat has nobody to ask, and is connected', async (t) => {
  const credentials = { visitor_secret: 'a secret of some length' }
  const fields = { project_id: project._id, channel_type: 'web', name: 'Chat', provider: 'simulator' }
  const { body } = await call('POST', `${api}/channels`, { ...fields, credentials })
  t.match(body, { status: 'connected', status_reason: null })
  t.match(await call('POST', `${api}/channels/${body._id}/check`), {
    status: 200,
    body: { ok: true, reason: null, templates: { synced: 0, reason: null } },
  })
})
