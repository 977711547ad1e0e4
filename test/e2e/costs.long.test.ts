/** The price of messages, by the statuses of the provider and the rates of the operator; and sums. */
import t from 'tap'
import type { Json } from './client.ts'
import { made, makeTenant, startWorld, type Tenant } from './fixture.ts'
import { callAsProvider } from './provider_call.ts'

// Rates are those of all tenants, and statuses are the test's own.
const world = await startWorld(t, {
  simulator: { statuses: { sent_ms: 86_400_000, delivered_ms: 86_400_000, read_ms: 86_400_000 } },
})

const MARKETS = [
  { market: 'Mexico', marketing: 0.0305, utility: 0.0085, authentication: 0.0085 },
  { market: 'North America', marketing: 0.025, utility: 0.0034 },
  { market: 'Rest of Africa', marketing: 0.0225 },
  { market: '+5255', marketing: 0.0301 },
  { market: 'Other', marketing: 0.0604, utility: 0.0077 },
]

const load = (fields: Json = {}) =>
  world.operator('POST', 'rates', { valid_from: '2025-07-01', currency: 'USD', markets: MARKETS, ...fields })

type Pricing = { billable?: boolean; pricing_model?: string; category: string; type?: string }

const marketing: Pricing = { billable: true, pricing_model: 'PMP', category: 'marketing', type: 'regular' }
const service: Pricing = { billable: false, pricing_model: 'PMP', category: 'service', type: 'free_customer_service' }

/** Sends a message and resolves to it once the provider has taken it. */
async function sent(tenant: Tenant, to: string): Promise<Json> {
  const { id } = await made(tenant.send(to))
  return tenant.message(id, 'sent', 'delivered', 'read')
}

async function reports(
  tenant: Tenant,
  { provider_message_id: id, to, ...rest }: Json,
  status: string,
  pricing?: Pricing,
) {
  const said = { id, status, recipient_id: to.slice(1), biz_opaque_callback_data: rest.id, ...(pricing && { pricing }) }
  t.equal((await callAsProvider(world, tenant.number, { statuses: [said] })).status, 200)
}

const read = async (tenant: Tenant, { id }: Json) => made(tenant.api('GET', `messages/${id}`))
const costs = async (tenant: Tenant, query = '') => made(tenant.api('GET', `messages/costs?${query}`))

t.test('without rates the category is kept, and no amount', async (t) => {
  const tenant = await makeTenant(world)
  const message = await sent(tenant, '+5215512345678')
  t.equal(message.price, null)
  await reports(tenant, message, 'delivered', marketing)
  const price = { amount: null, currency: null, category: 'marketing', billable: true }
  t.same((await read(tenant, message)).price, price)
  t.match(await costs(tenant), {
    totals: [{ currency: null, amount: null, message_count: 1, billable_count: 1 }],
    data: [{ group: new Date().toISOString().slice(0, 10), label: null, currency: null, amount: null }],
    has_more: false,
  })
})

t.test('a card is loaded after it was checked, and every wrong row is told', async (t) => {
  const wrong = [
    { market: 'Atlantis', marketing: 0.1 },
    { market: 'MX', marketing: 0.1234567 },
    { market: 'Mexico', utility: -1 },
  ]
  const refused = await load({ markets: wrong, currency: 'DOLLAR', valid_from: '2026-02-30' })
  t.equal(refused.status, 400)
  t.same(refused.body.error.details.violations.map(({ path }: Json) => path).sort(), [
    'currency',
    'markets.0.market',
    'markets.1.marketing',
    'markets.2.market',
    'markets.2.utility',
    'valid_from',
  ])
  const rehearsed = await made(load({ dry_run: true, markets: MARKETS.slice(0, 1) }))
  t.match(rehearsed, { market_count: 1, rate_count: 3, dry_run: true, warnings: [{ code: 'MARKET_OTHER_MISSING' }] })
  t.same((await made(world.operator('GET', 'rates'))).data, [])
  t.match(await made(load()), { market_count: 5, rate_count: 9, currency: 'USD', warnings: [] })
  await made(load())
  const { data } = await made(world.operator('GET', 'rates?market=Mexico'))
  t.match(data, [
    { market: 'MX', category: 'authentication', amount: 0.0085 },
    { market: 'MX', category: 'marketing', amount: 0.0305, currency: 'USD', valid_from: '2025-07-01' },
    { market: 'MX', category: 'utility' },
  ])
  t.match(await load({ currency: 'EUR' }), {
    status: 400,
    body: { error: { details: { violations: [{ path: 'currency', message: /^must be USD/ }] } } },
  })
  t.match(await made(load({ currency: 'EUR', replaces_all: true })), { currency: 'EUR' })
  await made(load({ replaces_all: true }))
})

const PRICES: [what: string, to: string, pricing: Pricing, price: Json][] = [
  ['a country', '+5213312345678', marketing, { amount: 0.0305 }],
  ['a beginning of numbers', '+525512345678', marketing, { amount: 0.0301 }],
  ['a region', '+12025550123', marketing, { amount: 0.025 }],
  ['a country that shares its code with another', '+18095550123', marketing, { amount: 0.0604 }],
  ['any other country', '+4915112345678', marketing, { amount: 0.0604 }],
  ['Africa', '+254712345678', marketing, { amount: 0.0225 }],
  ['a category without a row there', '+254712345678', { ...marketing, category: 'utility' }, { amount: 0.0077 }],
  [
    'a category of its own without a rate',
    '+5213312345678',
    { ...marketing, category: 'marketing_lite' },
    { amount: 0.0305 },
  ],
  [
    'a category with a dash',
    '+5213312345678',
    { ...marketing, category: 'authentication-international' },
    { amount: 0.0085, category: 'authentication_international' },
  ],
  [
    'an unknown category',
    '+5213312345678',
    { ...marketing, category: 'referral_conversion' },
    { amount: null, currency: null },
  ],
  ['what is free', '+5213312345678', service, { amount: 0, currency: 'USD', billable: false }],
  [
    'a free entry point that says nothing of billable',
    '+5213312345678',
    { category: 'marketing', type: 'free_entry_point' },
    { amount: 0, billable: false },
  ],
]

t.test('the recipient and the category make the price', async (t) => {
  const tenant = await makeTenant(world)
  for (const [what, to, pricing, price] of PRICES) {
    const message = await sent(tenant, to)
    await reports(tenant, message, 'delivered', pricing)
    t.match((await read(tenant, message)).price, { category: pricing.category, ...price }, what)
  }
})

const HISTORIES: [what: string, statuses: [string, Pricing?][], price: Json | null, charged: number][] = [
  ['with sent alone', [['sent', marketing], ['delivered']], marketing, 1],
  ['with delivered alone', [['sent'], ['delivered', marketing]], marketing, 1],
  [
    'with both',
    [
      ['sent', marketing],
      ['delivered', marketing],
      ['read', marketing],
    ],
    marketing,
    1,
  ],
  [
    'each twice',
    [
      ['sent', marketing],
      ['sent', marketing],
      ['delivered', marketing],
      ['delivered', marketing],
    ],
    marketing,
    1,
  ],
  ['delivered before sent', [['delivered'], ['sent', marketing], ['read']], marketing, 1],
  ['read at once', [['read', marketing]], marketing, 1],
  [
    'another category upon delivery',
    [
      ['sent', service],
      ['delivered', marketing],
    ],
    marketing,
    1,
  ],
  [
    'another one after it was charged',
    [
      ['delivered', marketing],
      ['read', service],
    ],
    marketing,
    1,
  ],
  ['never delivered', [['sent', marketing]], marketing, 0],
  [
    'failed',
    [
      ['sent', marketing],
      ['failed', marketing],
    ],
    null,
    0,
  ],
  ['delivered although it had failed', [['failed'], ['delivered', marketing]], marketing, 1],
  ['without a price', [['delivered'], ['read']], null, 0],
  [
    'with a price that nobody understands',
    [
      ['delivered', 'free' as never],
      ['read', { category: {} as never }],
    ],
    null,
    0,
  ],
]

t.test('a message is charged once, when it is delivered, whatever the order of the statuses', async (t) => {
  for (const [what, statuses, price, charged] of HISTORIES) {
    const tenant = await makeTenant(world)
    const message = await sent(tenant, '+5213312345678')
    for (const [status, pricing] of statuses) await reports(tenant, message, status, pricing)
    const shown = (await read(tenant, message)).price
    if (price === null) t.equal(shown, null, what)
    else t.match(shown, { category: price.category, amount: 0.0305 }, what)
    const { totals } = await costs(tenant)
    t.same(totals, charged ? [{ currency: 'USD', amount: 0.0305, message_count: 1, billable_count: 1 }] : [], what)
  }
})

t.test('rates begin on their day', async (t) => {
  const tenant = await makeTenant(world)
  const tomorrow = new Date(Date.now() + 86_400_000 * 2).toISOString().slice(0, 10)
  const today = new Date().toISOString().slice(0, 10)
  await made(load({ valid_from: tomorrow, markets: [{ market: 'Chile', marketing: 9 }] }))
  await made(load({ valid_from: today, markets: [{ market: 'Chile', marketing: 0.0889 }] }))
  await made(load({ valid_from: '2025-07-02', markets: [{ market: 'Chile', marketing: 7 }] }))
  const message = await sent(tenant, '+56912345678')
  await reports(tenant, message, 'delivered', marketing)
  t.match((await read(tenant, message)).price, { amount: 0.0889 })
})

t.test('costs are summed exactly for each day, category, channel and bulk send, and as a file', async (t) => {
  const tenant = await makeTenant(world)
  const many = await Promise.all(Array.from({ length: 30 }, () => sent(tenant, '+5213312345678')))
  const statuses = many.map(({ id, provider_message_id }, i) => ({
    id: provider_message_id,
    biz_opaque_callback_data: id,
    status: 'delivered',
    recipient_id: '5213312345678',
    pricing: i < 20 ? marketing : i < 27 ? { ...marketing, category: 'utility' } : service,
  }))
  await Promise.all([0, 1, 2].map(() => callAsProvider(world, tenant.number, { statuses })))
  const total = { currency: 'USD', amount: 0.6695, message_count: 30, billable_count: 27 }
  t.same((await costs(tenant)).totals, [total])
  t.same((await costs(tenant, 'group_by=category')).data, [
    { group: 'marketing', label: null, currency: 'USD', amount: 0.61, message_count: 20, billable_count: 20 },
    { group: 'service', label: null, currency: 'USD', amount: 0, message_count: 3, billable_count: 0 },
    { group: 'utility', label: null, currency: 'USD', amount: 0.0595, message_count: 7, billable_count: 7 },
  ])
  t.match((await costs(tenant, 'group_by=channel')).data, [
    { group: tenant.number.channel_id, label: /^Number/, ...total },
  ])
  t.match((await costs(tenant, 'group_by=broadcast')).data, [{ group: null, label: null, ...total }])
  const page = await costs(tenant, 'group_by=category&limit=1&offset=1')
  t.match(page, { data: [{ group: 'service' }], has_more: true, limit: 1, offset: 1, totals: [total] })
  t.same((await costs(tenant, 'until=2026-01-01T00:00:00Z')).data, [], 'another period')
  const file = await tenant.api('GET', 'messages/costs.csv?group_by=category')
  t.equal(
    file.text,
    'category,label,currency,amount,message_count,billable_count\r\n' +
      'marketing,,USD,0.61,20,20\r\nservice,,USD,0,3,0\r\nutility,,USD,0.0595,7,7\r\n',
  )
  t.match(await made(world.operator('GET', `costs?company_id=${tenant.company_id}&group_by=project`)), {
    data: [{ group: tenant.project_id, label: /^Project/, ...total }],
    totals: [total],
  })
  t.equal((await world.operator('GET', 'costs')).status, 400, 'of all companies')
  t.equal((await tenant.api('GET', 'messages/costs?since=2020-01-01T00:00:00Z')).status, 400, 'of many years')
  t.equal((await tenant.api('GET', 'messages/costs?group_by=project')).status, 400, 'a project has no others')
  const other = await makeTenant(world)
  t.same((await costs(other)).totals, [], 'of another company')
})
