/** What Messenger, Instagram and WhatsApp tell beside messages: it is kept with the conversation, or counted by its name. */
import t, { type Test } from 'tap'
import { type Answer, eventually, type Json } from '../e2e/client.ts'
import { joinWorld, made, makeTenant, type Tenant } from '../e2e/fixture.ts'
import { callAsProvider } from '../e2e/provider_call.ts'
import { callWhatsApp, checkOf } from './channel_calls.ts'
import { callAsPage, connectPage, type PageAccount } from './page_account.ts'

const world = await joinWorld(t)

let last = 0
const person = () => `7009${process.pid}${++last}`
const ok = async (t: Test, answer: Promise<Answer>, what = 'taken') => t.equal((await answer).status, 200, what)
const messagesOf = async (tenant: Tenant): Promise<Json[]> => (await made(tenant.api('GET', 'messages?limit=100'))).data
const ticketsOf = async (tenant: Tenant): Promise<Json[]> => (await made(tenant.api('GET', 'crm/tickets'))).data

const ad = { source: 'ADS', type: 'OPEN_THREAD', ad_id: '77', ref: 'spring' }

/** A file of a person has its id at once. */
const FETCHED = { media_id: /^[0-9a-f]{24}$/, media_status: 'pending' }

const KEPT: { what: string; event: Json; is: Json; opens: boolean }[] = [
  {
    what: 'a text of a person who came by an ad',
    event: { message: { mid: 'm_q', text: 'Hello', referral: ad } },
    is: { type: 'text', message: { body: 'Hello', referral: ad } },
    opens: true,
  },
  {
    what: 'a picture with a product',
    event: {
      message: {
        mid: 'm_p',
        attachments: [{ type: 'image', payload: { url: 'https://a.example/1.png' } }],
        referral: { product: { id: 'p1' } },
      },
    },
    is: { type: 'image', message: { referral: { product: { id: 'p1' } }, ...FETCHED } },
    opens: true,
  },
  {
    what: 'a picture that answers a story',
    event: {
      message: {
        mid: 'm_s1',
        reply_to: { story: { id: 's1', url: 'https://cdn.example/s1' } },
        attachments: [{ type: 'image', payload: { url: 'https://a.example/2.png' } }],
      },
    },
    is: { type: 'image', message: { link: 'https://a.example/2.png', story: { id: 's1', ...FETCHED }, ...FETCHED } },
    opens: true,
  },
  {
    what: 'a reel that was shared',
    event: { message: { mid: 'm_r', attachments: [{ type: 'ig_reel', payload: { url: 'https://cdn.example/r' } }] } },
    is: { type: 'ig_reel', message: { link: 'https://cdn.example/r', ...FETCHED } },
    opens: true,
  },
  {
    what: 'a heart that answers a story',
    event: {
      message: {
        mid: 'm_s2',
        reply_to: { story: { id: 's1', url: 'https://cdn.example/s1' } },
        attachments: [{ type: 'like_heart' }],
      },
    },
    is: { type: 'like_heart', message: { story: { id: 's1', ...FETCHED }, media_id: undefined } },
    opens: true,
  },
  {
    what: 'a choice that answers a story',
    event: {
      message: {
        mid: 'm_s3',
        text: 'Yes',
        reply_to: { story: { id: 's1', url: 'https://cdn.example/s1' } },
        quick_reply: { payload: 'yes' },
      },
    },
    is: { type: 'interactive', message: { button_reply: { id: 'yes' }, story: { id: 's1' } } },
    opens: true,
  },
  {
    what: 'a command',
    event: { message: { mid: 'm_c', text: '/flights', commands: [{ name: 'flights' }] } },
    is: { message: { body: '/flights', commands: [{ name: 'flights' }] } },
    opens: true,
  },
  {
    what: 'a postback by a link',
    event: { postback: { mid: 'm_b', title: 'Start', payload: 'START', referral: ad } },
    is: { type: 'interactive', message: { referral: ad } },
    opens: true,
  },
  {
    what: 'a link that was followed',
    event: { referral: ad },
    is: { type: 'referral', message: { type: 'referral', ad_id: '77', ref: 'spring' } },
    opens: false,
  },
  {
    what: 'a consent to messages',
    event: { optin: { type: 'notification_messages', payload: 'news' } },
    is: { type: 'optin', message: { payload: 'news', optin_type: 'notification_messages' } },
    opens: false,
  },
  {
    what: 'a linked account',
    event: { account_linking: { status: 'linked', authorization_code: 'c' } },
    is: { type: 'account_linking', message: { status: 'linked' } },
    opens: false,
  },
  {
    what: 'a rating',
    event: { messaging_feedback: { feedback_screens: [{ screen_id: 0 }] } },
    is: {
      type: 'unsupported',
      message: { kind: 'messaging_feedback', messaging_feedback: { feedback_screens: [{ screen_id: 0 }] } },
    },
    opens: true,
  },
  {
    what: 'a form with an address',
    event: { messaging_customer_information: { screens: [{ screen_id: 's' }] } },
    is: { type: 'unsupported', message: { kind: 'messaging_customer_information' } },
    opens: true,
  },
  {
    what: 'an order',
    event: { order: { products: [{ id: 'a' }] } },
    is: { type: 'unsupported', message: { kind: 'order', order: { products: [{ id: 'a' }] } } },
    opens: true,
  },
  {
    what: 'an event that nobody knows',
    event: { newkind_2027: { any: 1 } },
    is: { type: 'unsupported', message: { kind: 'newkind_2027', newkind_2027: { any: 1 } } },
    opens: true,
  },
]

const COUNTED: { what: string; event: Json; name: string; field?: string }[] = [
  { what: 'roles of apps', event: { app_roles: { 1: ['primary_receiver'] } }, name: 'app_roles' },
  { what: 'an event without content', event: {}, name: 'messaging' },
  { what: 'a message without an id', event: { message: { text: 'Hi' } }, name: 'message' },
  {
    what: 'an unknown field of a message',
    event: { message: { mid: 'm_u', text: 'Hi', hologram: {} } },
    name: 'message.hologram',
  },
  {
    what: 'what stands beside a message',
    event: { message: { mid: 'm_v', text: 'Hi' }, prior_message: { source: 'checkbox_plugin' } },
    name: 'prior_message',
  },
]

for (const channel of ['messenger', 'instagram', 'facebook']) {
  t.test(`${channel}: what a person does is kept with its fields, and news open no ticket`, async (t) => {
    const tenant = await makeTenant(world)
    const account = await connectPage(world, tenant, channel)
    for (const { what, event, is, opens } of KEPT) {
      const from = person()
      const before = [await messagesOf(tenant), await ticketsOf(tenant)] as const
      const told = { sender: { id: from }, timestamp: Date.now(), ...event }
      await ok(t, callAsPage(world, account, [told]), what)
      await ok(t, callAsPage(world, account, [told]), 'again')
      const [stored, ...more] = (await messagesOf(tenant)).slice(0, -before[0].length || undefined)
      t.match(stored, { from, channel, ...is }, what)
      t.same(more, [], 'once')
      t.equal((await ticketsOf(tenant)).length - before[1].length, opens ? 1 : 0, what)
    }
  })

  t.test(`${channel}: what has no place is counted by its name`, async (t) => {
    const tenant = await makeTenant(world)
    const account = await connectPage(world, tenant, channel)
    for (const { what, event, field } of COUNTED) {
      await ok(t, callAsPage(world, account, [{ sender: { id: person() }, ...event }], field), what)
    }
    await ok(t, callAsPage(world, account, [{ field: 'feed', value: { item: 'post' } }], 'changes'))
    await ok(t, callAsPage(world, account, [{ sender: { id: person() } }], 'whispers'), 'an unknown list')
    const { ignored_callbacks, ok: is_ok, reason } = await checkOf(world, account.channel_id)
    t.same({ is_ok, reason }, { is_ok: true, reason: null })
    const names = ignored_callbacks.map(({ kind, name }: Json) => `${kind} ${name}`)
    t.same(
      names.sort(),
      [...COUNTED.map(({ name }) => `field ${name}`), 'field changes.feed', 'field entry.whispers'].sort(),
    )
    t.ok(ignored_callbacks.every(({ count, first_at, last_at }: Json) => count === 1 && first_at === last_at))
    const line = new RegExp(`^parley_provider_unknown_total\\{provider="${channel}",field="app_roles".*\\} \\d+$`, 'm')
    // The page of metrics is not made anew for each reader.
    await eventually('the count in the metrics', async () => line.test(await (await fetch(world.metrics_url())).text()))
  })

  t.test(`${channel}: calls for another account show in the check of the channel`, async (t) => {
    const tenant = await makeTenant(world)
    const account = await connectPage(world, tenant, channel)
    const other: PageAccount = { ...account, account_id: '17841499990001' }
    const event = { sender: { id: person() }, message: { mid: 'm_o', text: 'Hello' } }
    await ok(t, callAsPage(world, other, [event]))
    t.same(await messagesOf(tenant), [])
    const check = await checkOf(world, account.channel_id)
    t.match(check, {
      ok: true,
      reason: /17841499990001/,
      channel: { status: 'connected', status_reason: /17841499990001/ },
    })
    t.match(check.ignored_callbacks, [{ kind: 'account', name: '17841499990001', count: 1 }])
    await ok(t, callAsPage(world, account, [{ ...event, message: { mid: 'm_own', text: 'Hi' } }]))
    t.equal((await messagesOf(tenant)).length, 1)
  })
}

t.test('fields of WhatsApp that have no place are counted by their names', async (t) => {
  const tenant = await makeTenant(world)
  const { number } = tenant
  const metadata = { phone_number_id: number.phone_number_id }
  for (const field of ['calls', 'smb_message_echoes', 'phone_number_quality_update', 'newfield_2027']) {
    await ok(t, callWhatsApp(world, number, field, { metadata }))
  }
  await ok(
    t,
    callAsProvider(world, number, { statuses: [{ id: 'wamid.s', status: 'warped' }], messages: [{ from: undefined }] }),
  )
  await ok(t, callWhatsApp(world, number, 'user_preferences', { metadata, user_preferences: [{ value: 'maybe' }] }))
  await ok(t, callWhatsApp(world, number, 'account_update', { event: 'ACCOUNT_VIOLATION' }))
  await ok(t, callWhatsApp(world, number, 'messages', { metadata, errors: [{ code: 130429 }], whispers: [{ id: 1 }] }))
  const { ignored_callbacks } = await checkOf(world, number.channel_id)
  t.same(ignored_callbacks.map(({ name }: Json) => name).sort(), [
    'account_update.ACCOUNT_VIOLATION',
    'calls',
    'messages',
    'messages.errors',
    'messages.whispers',
    'newfield_2027',
    'phone_number_quality_update',
    'smb_message_echoes',
    'statuses.warped',
    'user_preferences',
  ])
  const sampleOf = (part: string) => ignored_callbacks.find(({ name }: Json) => name === part).sample_fields
  t.same(sampleOf('messages.whispers'), ['[].id'], 'the names of its fields')
  t.same(sampleOf('calls'), ['metadata', 'metadata.phone_number_id'])
})

t.test('calls of WhatsApp for another number or account show in the check', async (t) => {
  const tenant = await makeTenant(world)
  const { number } = tenant
  await ok(
    t,
    callAsProvider(world, { ...number, phone_number_id: '99900011122' }, { messages: [{ from: '15550380001' }] }),
  )
  t.same(await messagesOf(tenant), [])
  const check = await checkOf(world, number.channel_id)
  t.match(check, { ok: true, reason: /99900011122/, ignored_callbacks: [{ kind: 'account', name: '99900011122' }] })
  const elsewhere = { ...number, business_account_id: '88800011122' }
  await ok(t, callWhatsApp(world, elsewhere, 'account_update', { event: 'DISABLED_UPDATE' }))
  const { ignored_callbacks, channel } = await checkOf(world, number.channel_id)
  t.match(ignored_callbacks.map(({ name }: Json) => name).sort(), ['88800011122', '99900011122'])
  t.equal(channel.status, 'connected')
})

t.test('fields of a message of WhatsApp that nobody knows stay with it', async (t) => {
  const tenant = await makeTenant(world)
  const said = { from: '15550380002', text: { body: 'Hi' }, newfact: { any: 1 }, from_logical_id: 'x' }
  await ok(t, callAsProvider(world, tenant.number, { messages: [said] }))
  const [{ message }] = (await messagesOf(tenant)) as [Json]
  t.same(message, { type: 'text', body: 'Hi', newfact: { any: 1 } })
})

t.test('many names of a channel are counted together', async (t) => {
  const tenant = await makeTenant(world)
  const { number } = tenant
  const metadata = { phone_number_id: number.phone_number_id }
  const changes = Array.from({ length: 120 }, (_, n) => ({ field: `field_${n}`, value: { metadata } }))
  await ok(t, callWhatsApp(world, number, 'calls', { metadata }, changes))
  const { ignored_callbacks } = await checkOf(world, number.channel_id)
  t.ok(ignored_callbacks.length <= 52, `${ignored_callbacks.length} names`)
  t.ok(ignored_callbacks.some(({ name }: Json) => name === 'others'))
})
