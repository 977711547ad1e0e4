/** People who stop marketing messages get none from broadcasts, however Parley learns of it. */
import t from 'tap'
import { wishIn } from '../../actors/project/contacts/stop_words.ts'
import { broadcastWhen, recipientsOf, sendBulk } from '../e2e/broadcast_client.ts'
import { eventually, type Json } from '../e2e/client.ts'
import { bodyProblems } from '../e2e/event_schemas.ts'
import { joinWorld, made, makeTenant, type Tenant } from '../e2e/fixture.ts'
import { callAsProvider } from '../e2e/provider_call.ts'

const world = await joinWorld(t)

const MARKETING = { template_name: 'promo_picture', language: 'en_US' }
const variables = { header_image: 'https://example.com/promo.jpg', 1: 'Ana' }
const UTILITY = { template_name: 'order_update', language: 'en_US' }

const contactOf = async ({ api }: Tenant, phone: string): Promise<Json> =>
  (await made(api('GET', `contacts?phone=%2B${phone}`))).data[0]

/** The person presses the button in WhatsApp. */
async function presses({ number }: Tenant, from: string, marketing: 'stop' | 'resume', fields: Json = {}) {
  const { phone_number_id } = number
  const { status, body } = await world.control('POST', 'inbound', {
    channel: 'whatsapp',
    from: `+${from}`,
    marketing,
    phone_number_id,
    ...fields,
  })
  return { status, webhook: body.webhook?.status }
}

/** Sends a broadcast and resolves to the recipients when all have an end. */
async function broadcast(tenant: Tenant, phones: string[], template: Json = MARKETING): Promise<Json[]> {
  const recipients = phones.map((phone) => ({
    phone: `+${phone}`,
    variables: template === MARKETING ? variables : { 1: 'Ana', 2: 'A-1' },
  }))
  const id = await sendBulk(tenant, recipients, template)
  await broadcastWhen(tenant, id, 'has no one waiting', ({ pending_count, sent_count, delivered_count }) => {
    return pending_count + sent_count + delivered_count === 0
  })
  return recipientsOf(tenant, id)
}

t.test('a person who stops marketing gets no broadcast of it until the person resumes', async (t) => {
  const tenant = await makeTenant(world)
  const [stopped, other] = ['15550220001', '15550220002']
  const hook = await tenant.subscribe('consent', ['crm.contact.created', 'crm.contact.updated'], { concurrency: 1 })
  t.same(await presses(tenant, stopped, 'stop'), { status: 200, webhook: 200 })
  const { consent } = await contactOf(tenant, stopped)
  t.match(consent, { marketing: 'stopped', source: 'provider', changed_at: /Z$/ })
  t.match(await broadcast(tenant, [stopped, other]), [
    { status: 'failed', error: { code: 'RECIPIENT_OPTED_OUT' }, message_id: null },
    { status: 'read' },
  ])
  t.match(await broadcast(tenant, [stopped], UTILITY), [{ status: 'read' }], 'what is no marketing goes')
  await presses(tenant, stopped, 'resume')
  t.match((await contactOf(tenant, stopped)).consent, { marketing: 'granted', source: 'provider' })
  t.match(await broadcast(tenant, [stopped]), [{ status: 'read' }])
  const events = await eventually('both changes', async () => {
    const done = await tenant.deliveries(hook.id, '&status=success')
    const told = world.sink.calls('consent').filter(({ body }) => body.type === 'crm.contact.updated')
    return done.length >= 3 && told
  })
  for (const { body } of events) t.same(bodyProblems(body), [])
  t.same(
    events.map(({ body }) => body.data.consent.marketing),
    ['stopped', 'granted'],
  )
})

t.test('a marketing template to one person who stopped it is sent with a warning', async (t) => {
  const tenant = await makeTenant(world)
  const phone = '15550220003'
  await presses(tenant, phone, 'stop')
  const message = { type: 'template', name: 'promo_picture', language: 'en_US', variables }
  const sent = await made(tenant.api('POST', 'messages', { channel: 'whatsapp', to: `+${phone}`, message }))
  t.match(sent.warnings, [{ code: 'RECIPIENT_OPTED_OUT' }])
  t.match(await tenant.message(sent.id, 'failed'), { error: { code: '131050' } })
})

for (const how of ['the answer to a send', 'a status'] as const) {
  t.test(`a refusal for this reason in ${how} counts as a stop`, async (t) => {
    const tenant = await makeTenant(world)
    const phone = how === 'a status' ? '15550220004' : '15550220005'
    if (how === 'a status') {
      const sent = await made(tenant.send(`+${phone}`))
      const { provider_message_id: id } = await tenant.message(sent.id, 'sent', 'delivered', 'read', 'failed')
      const errors = [{ code: 131050, title: 'Stopped' }]
      const status = { id, status: 'failed', recipient_id: phone, errors }
      await callAsProvider(world, tenant.number, { statuses: [status] })
    } else {
      await world.control('POST', 'faults', { match: { recipient: `+${phone}` }, error: { code: 131050 }, times: 1 })
      const sent = await made(tenant.send(`+${phone}`))
      await tenant.message(sent.id, 'failed')
    }
    const { consent } = await contactOf(tenant, phone)
    t.match(consent, { marketing: 'stopped', source: 'provider' })
  })
}

t.test('the latest word counts, in whatever order the words arrive', async (t) => {
  const tenant = await makeTenant(world)
  const phone = '15550220006'
  const at = Math.floor(Date.now() / 1000)
  await presses(tenant, phone, 'resume', { timestamp: at - 10 })
  await presses(tenant, phone, 'stop', { timestamp: at - 20 })
  t.match((await contactOf(tenant, phone)).consent, {
    marketing: 'granted',
    changed_at: new Date((at - 10) * 1000).toISOString(),
  })
  await presses(tenant, phone, 'stop', { timestamp: at - 9 })
  await presses(tenant, phone, 'stop', { timestamp: at - 5 })
  await presses(tenant, phone, 'resume', { timestamp: at - 7 })
  t.match((await contactOf(tenant, phone)).consent, { marketing: 'stopped' }, 'a stop that was said twice')
})

t.test('a client says what a person said elsewhere', async (t) => {
  const tenant = await makeTenant(world)
  const { _id, consent } = await made(
    tenant.api('POST', 'contacts', { channel_type: 'whatsapp', user_id: '15550220007' }),
  )
  t.same(consent, { marketing: 'unknown', changed_at: null, source: null })
  const patch = (value: unknown) => tenant.api('PATCH', `contacts/${_id}`, { consent: value })
  const first = await made(patch({ marketing: 'stopped' }))
  t.match(first.consent, { marketing: 'stopped', source: 'api', changed_at: /Z$/ })
  const again = await made(patch({ marketing: 'stopped' }))
  t.same(again.consent, first.consent, 'a word that is known changes nothing')
  t.match(await broadcast(tenant, ['15550220007']), [{ error: { code: 'RECIPIENT_OPTED_OUT' } }])
  for (const wrong of [{ marketing: 'no' }, {}, null, 'stopped', { marketing: 'stopped', source: 'provider' }]) {
    t.equal((await patch(wrong)).status, 400, JSON.stringify(wrong))
  }
})

t.test('words that nobody knows change nothing', async (t) => {
  const tenant = await makeTenant(world)
  const phone = '15550220008'
  await presses(tenant, phone, 'stop')
  const before = await contactOf(tenant, phone)
  const { number } = tenant
  const value = (said: Json) => ({
    user_preferences: [
      { wa_id: phone, category: 'marketing_messages', value: 'resume', timestamp: 9_999_999_999, ...said },
    ],
  })
  for (const said of [{ value: 'maybe' }, { category: 'news' }, { wa_id: {} }, { value: 'constructor' }]) {
    const { status } = await callAsProvider(world, number, { field: 'user_preferences', value: value(said) })
    t.equal(status, 200)
  }
  t.same((await contactOf(tenant, phone)).consent, before.consent)
})

const WORDS: [language: string, stop: string[]][] = [
  ['English', ['STOP', ' stop. ', 'Unsubscribe!', 'Opt-out', 'Stop promotions']],
  ['Spanish', ['BAJA', 'Darme de baja', 'Cancelar suscripcion']],
  ['Portuguese', ['Descadastrar', 'CANCELAR INSCRIÇÃO']],
  ['French', ['Me désabonner', 'DESINSCRIPTION']],
  ['German', ['Abmelden', 'stopp', 'Werbung stoppen']],
  ['Italian', ['Disiscrivimi']],
  ['Dutch', ['Afmelden', 'Uitschrijven']],
  ['Polish', ['Wypisz mnie']],
  ['Turkish', ['ABONELİKTEN ÇIK']],
  ['Russian', ['СТОП', 'Отписаться']],
  ['Arabic', ['إلغاء الاشتراك']],
  ['Hindi', ['सदस्यता समाप्त करें']],
  ['Indonesian', ['Berhenti berlangganan']],
  ['Chinese and Japanese', ['退订', '配信停止', '取消訂閱。']],
]
const NO_WORDS = [
  'Please stop by tomorrow',
  'Can you stop the delivery?',
  'bus stop',
  'cancel',
  'start',
  '/start',
  'Baja California',
  '',
]

t.test('a message that is a word for it stops marketing, in each language, and a sentence does not', async (t) => {
  for (const [language, words] of WORDS)
    for (const body of words) t.equal(wishIn({ type: 'text', message: { body } }), 'stop', `${language}: ${body}`)
  t.equal(wishIn({ type: 'button', message: { text: 'Stop promotions' } }), 'stop')
  for (const body of NO_WORDS) t.not(wishIn({ type: 'text', message: { body } }), 'stop', body)
  t.equal(wishIn({ type: 'text', message: { body: `stop${' '.repeat(100_000)}` } }), undefined, 'a long one')
})

t.test('the word alone decides, and START takes back only what was stopped', async (t) => {
  const tenant = await makeTenant(world)
  const { phone_number_id } = tenant.number
  const [one, other] = ['15550220081', '15550220082']
  const writes = (from: string, message: string) =>
    world.control('POST', 'inbound', { channel: 'whatsapp', from: `+${from}`, message, phone_number_id })
  const wish = async (phone: string) => (await contactOf(tenant, phone))?.consent
  await writes(one, 'Stop')
  await eventually('it is stopped', async () => (await wish(one))?.marketing === 'stopped')
  t.match(await wish(one), { source: 'message', changed_at: /Z$/ })
  t.match(await broadcast(tenant, [one]), [{ status: 'failed', error: { code: 'RECIPIENT_OPTED_OUT' } }])
  const { data } = await made(tenant.api('GET', `messages?direction=inbound&limit=5`))
  t.equal(data[0].message.body, 'Stop', 'the message is kept')
  await writes(one, 'START')
  await eventually('it is granted', async () => (await wish(one))?.marketing === 'granted')
  await writes(other, 'Start')
  await writes(other, 'Please stop by tomorrow')
  await eventually('both came', async () => (await contactOf(tenant, other)) !== undefined)
  t.match(await wish(other), { marketing: 'unknown', source: null })
})
