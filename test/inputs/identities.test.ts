/** People on WhatsApp under every form of their ids: one person is one contact, whichever form a provider or a client uses. */
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'
import { joinWorld, made, makeTenant, type Tenant } from '../e2e/fixture.ts'
import { callAsProvider } from '../e2e/provider_call.ts'

const world = await joinWorld(t)

const contactsOf = async ({ api }: Tenant): Promise<Json[]> => (await made(api('GET', 'contacts'))).data

/** The first form is dialled, the second is the one by which WhatsApp knows the person. */
const numbers = [
  { country: 'Mexico', dialled: '525512345671', known: '5215512345671' },
  { country: 'Argentina', dialled: '541112345672', known: '5491112345672' },
  { country: 'Brazil, area code 11', dialled: '551187654321', known: '5511987654321' },
  { country: 'Brazil, area code 48', dialled: '5548987654321', known: '554887654321' },
]

for (const { country, dialled, known } of numbers) {
  t.test(`${country}: a person who answers a send is the contact of the send`, async (t) => {
    const tenant = await makeTenant(world)
    const sent = await made(tenant.send(`+${dialled}`))
    await eventually('the provider named the person', async () => (await contactsOf(tenant))[0]?.user_id === known)
    await callAsProvider(world, tenant.number, { messages: [{ from: known }] })
    const [contact, ...others] = await contactsOf(tenant)
    t.same(others, [])
    t.match(contact, { _id: sent.chat_user, user_id: known, phone: `+${dialled}`, windows: [{ is_open: true }] })
    for (const form of [dialled, known]) {
      const { warnings, chat_user } = await made(
        tenant.api('POST', 'messages', {
          channel: 'whatsapp',
          to: `+${form}`,
          message: { type: 'text', body: 'Thank you' },
        }),
      )
      t.same({ warnings, chat_user }, { warnings: [], chat_user: sent.chat_user }, `the window is open for ${form}`)
      const { body } = await tenant.api('GET', `contacts?phone=%2B${form}`)
      t.equal(body.total, 1, `${form} is found`)
    }
    const again = await tenant.api('POST', 'contacts', { channel_type: 'whatsapp', user_id: dialled })
    t.match(again, { status: 201 }, 'of the channel type as a whole: another identity')
    const twice = await tenant.api('POST', 'contacts', { channel_type: 'whatsapp', user_id: known })
    t.match(twice, {
      status: 400,
      body: { error: { code: 'CONTACT_ALREADY_EXISTS', details: { contact_id: again.body._id } } },
    })
  })

  t.test(
    `${country}: a customer by either form is linked, and an event by either form finds the contact`,
    async (t) => {
      const tenant = await makeTenant(world)
      for (const [mine, others] of [
        [dialled, known],
        [known, dialled],
      ] as const) {
        // Another person for each order.
        const own = (form: string) => form.replace(/\d{2}$/, mine === dialled ? '05' : '06')
        const customer = { company_id: tenant.company_id, full_name: 'Ana', phone: `+${own(mine)}` }
        const { _id: customer_id } = await made(world.operator('POST', 'customers', customer))
        await callAsProvider(world, tenant.number, { messages: [{ from: own(others) }] })
        const [contact] = await contactsOf(tenant)
        t.match(contact, { user_id: own(others), customer_id })
        const found = await tenant.api('GET', `contacts?phone=%2B${own(mine)}`)
        t.match(found.body, { total: 1, data: [{ _id: contact!._id }] })
      }
    },
  )
}

t.test('a landline and a number of another country have one form', async (t) => {
  const tenant = await makeTenant(world)
  for (const from of ['551133334444', '5511933334444', '525512345', '15215512345']) {
    await callAsProvider(world, tenant.number, { messages: [{ from }] })
  }
  t.equal((await contactsOf(tenant)).length, 4)
})

t.test('two forms that are two contacts already stay two, and each gets its own messages', async (t) => {
  const tenant = await makeTenant(world)
  const { channel_id } = tenant.number
  const [one, other] = ['525512345699', '5215512345699']
  for (const user_id of [one, other]) {
    await tenant.api('POST', 'contacts', { channel_type: 'whatsapp', user_id, ...(user_id === one && { channel_id }) })
  }
  await callAsProvider(world, tenant.number, { messages: [{ from: one }] })
  const [messages] = await Promise.all([made(tenant.api('GET', 'messages'))])
  t.match(messages.data, [{ from: `+${one}` }])
})

/** Ids in the wrong field, or in a form that nobody expects. `people`: the contacts afterwards, the newest first. */
const calls: { what: string; calls: { contacts?: Json[]; messages: Json[] }[]; people: Json[]; to?: string }[] = [
  {
    what: 'a business-scoped id in the fields of the number',
    calls: [
      { contacts: [{ wa_id: 'PE.50817', profile: { name: 'Ines' } }], messages: [{ from: 'PE.50817' }] },
      {
        contacts: [{ user_id: 'PE.50817' }, { wa_id: '15550100933', profile: { name: 'Tom' } }],
        messages: [{ from: '15550100933' }, { from_user_id: 'PE.50817' }],
      },
    ],
    people: [
      { name: 'Tom', user_id: '15550100933' },
      { name: 'Ines', user_id: 'PE.50817', bsuid: 'PE.50817', phone: null },
    ],
    to: 'PE.50817',
  },
  {
    what: 'a business-scoped id in wa_id alone',
    calls: [{ contacts: [{ wa_id: 'PE.60818', profile: { name: 'Ada' } }], messages: [{}] }],
    people: [{ name: 'Ada', user_id: 'PE.60818', bsuid: 'PE.60818', phone: null }],
    to: 'PE.60818',
  },
  {
    what: 'the parent form of a business-scoped id',
    calls: [
      {
        contacts: [{ user_id: 'MX.ENT.20417', profile: { name: 'Nadia' } }],
        messages: [{ from_user_id: 'MX.ENT.20417' }],
      },
    ],
    people: [{ name: 'Nadia', bsuid: 'MX.ENT.20417', phone: null }],
    to: 'MX.ENT.20417',
  },
  {
    what: 'the parent form in its own fields alone',
    calls: [
      {
        contacts: [{ parent_user_id: 'MX.ENT.20418', profile: { name: 'Lea' } }],
        messages: [{ from_parent_user_id: 'MX.ENT.20418' }],
      },
    ],
    people: [{ name: 'Lea', bsuid: 'MX.ENT.20418' }],
    to: 'MX.ENT.20418',
  },
  {
    what: 'a number that is written for people',
    calls: [{ messages: [{ from: '+1 (555) 010-0140' }] }, { messages: [{ from: '15550100140' }] }],
    people: [{ user_id: '15550100140', phone: '+15550100140' }],
    to: '+15550100140',
  },
  {
    what: 'a number in digits that JSON has as a number',
    calls: [{ messages: [{ from: 15550100141 }] }],
    people: [{ user_id: '15550100141', phone: '+15550100141' }],
  },
  {
    what: 'a number that is learnt after its business-scoped id came in the wrong field',
    calls: [
      { messages: [{ from: 'PE.70819' }] },
      { contacts: [{ wa_id: '15550100142', user_id: 'PE.70819' }], messages: [{ from: '15550100142' }] },
    ],
    people: [{ user_id: '15550100142', bsuid: 'PE.70819', phone: '+15550100142' }],
    to: 'PE.70819',
  },
]

for (const { what, calls: made_calls, people, to } of calls) {
  t.test(`${what} makes the right contacts`, async (t) => {
    const tenant = await makeTenant(world)
    let count = 0
    for (const call of made_calls) {
      t.equal((await callAsProvider(world, tenant.number, call)).status, 200)
      count += call.messages.length
    }
    t.match(await contactsOf(tenant), people)
    t.equal((await contactsOf(tenant)).length, people.length)
    t.equal((await made(tenant.api('GET', 'messages'))).data.length, count)
    if (to === undefined) return
    const sent = await made(
      tenant.api('POST', 'messages', { channel: 'whatsapp', to, message: { type: 'text', body: 'Hi' } }),
    )
    const request = await eventually('the send arrives', async () =>
      (await tenant.sent()).find(({ body }) => body.biz_opaque_callback_data === sent.id),
    )
    t.match(request.body, to.startsWith('+') ? { to: to.slice(1) } : { recipient: to })
    t.equal((await contactsOf(tenant)).length, people.length, 'the send goes to the same contact')
  })
}

t.test('an id of neither form is refused with both forms named', async (t) => {
  const tenant = await makeTenant(world)
  for (const to of ['us.118', 'US.', 'US.ENT.', 'U.118', 'US.118.2', `US.${'1'.repeat(129)}`]) {
    const { status, body } = await tenant.api('POST', 'messages', {
      channel: 'whatsapp',
      to,
      message: { type: 'text', body: 'Hi' },
    })
    t.equal(status, 400, to)
    t.match(body.error.details ?? body.error, /./)
    t.match(JSON.stringify(body), /E\.164 form.*business-scoped user id/)
  }
})
