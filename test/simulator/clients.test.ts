import { WhatsAppClient } from '@kapso/whatsapp-cloud-api'
import t from 'tap'
import { WhatsAppAPI } from 'whatsapp-api-js'
import {
  ActionButtons,
  ActionCTA,
  ActionList,
  ActionNavigateFlow,
  Body,
  BodyComponent,
  BodyParameter,
  Button,
  Contacts,
  Document,
  Image,
  Interactive,
  ListSection,
  Location,
  Name,
  Phone,
  Reaction,
  Row,
  Template,
  Text,
} from 'whatsapp-api-js/messages'
import { fixture, NUMBER, PERSON } from './fixture.ts'
import { type Json, until } from './receiver.ts'

const { phone_number_id: phoneNumberId, business_account_id: businessAccountId } = NUMBER
const PNG = Buffer.from('89504e470d0a1a0a', 'hex')

t.test('@kapso/whatsapp-cloud-api works against it with nothing but a base URL', async (t) => {
  const { url, control, receiver } = await fixture(t, { window: { enforced: false } })
  const client = new WhatsAppClient({ accessToken: NUMBER.access_token, baseUrl: url })
  const to = `+${PERSON}`
  const at = { phoneNumberId, to }
  const sent: Json[] = []

  const text = await client.messages.sendText({ ...at, body: 'Olá', bizOpaqueCallbackData: 'order-7' })
  t.match(text, {
    messagingProduct: 'whatsapp',
    contacts: [{ input: to, waId: PERSON }],
    messages: [{ id: /^wamid\./ }],
  })
  sent.push(await client.messages.sendImage({ ...at, image: { link: 'https://example.com/a.jpg', caption: 'A' } }))
  sent.push(await client.messages.sendLocation({ ...at, location: { latitude: 40.4, longitude: -3.7, name: 'Here' } }))
  sent.push(
    await client.messages.sendContacts({
      ...at,
      contacts: [{ name: { formattedName: 'Ana Díaz', firstName: 'Ana' }, phones: [{ phone: '+34600000000' }] }],
    }),
  )
  sent.push(await client.messages.sendReaction({ ...at, reaction: { messageId: text.messages[0]!.id, emoji: '👍' } }))
  sent.push(
    await client.messages.sendTemplate({
      ...at,
      template: {
        name: 'order_update',
        language: { code: 'en_US' },
        components: [
          {
            type: 'body',
            parameters: [
              { type: 'text', text: 'Ana' },
              { type: 'text', text: 'A-1' },
            ],
          },
        ],
      },
    } as Json),
  )
  sent.push(
    await client.messages.sendInteractiveButtons({ ...at, bodyText: 'Pick', buttons: [{ id: 'y', title: 'Yes' }] }),
  )
  sent.push(
    await client.messages.sendInteractiveList({
      ...at,
      bodyText: 'Pick',
      buttonText: 'Open',
      sections: [{ title: 'All', rows: [{ id: '1', title: 'One', description: 'first' }] }],
    }),
  )
  sent.push(
    await client.messages.sendInteractiveCtaUrl({
      ...at,
      bodyText: 'See',
      parameters: { displayText: 'Open', url: 'https://example.com' },
    }),
  )
  sent.push(
    await client.messages.sendInteractiveFlow({
      ...at,
      bodyText: 'Book',
      parameters: {
        flowId: '900000000000001',
        flowCta: 'Book',
        flowToken: 'f-1',
        flowAction: 'navigate',
        flowActionPayload: { screen: 'VISIT' },
      },
    }),
  )
  const card = (cardIndex: number) => ({
    cardIndex,
    header: { type: 'image' as const, image: { link: 'https://example.com/c.png' } },
    bodyText: 'Card',
    action: { displayText: 'Open', url: 'https://example.com' },
  })
  sent.push(await client.messages.sendInteractiveCarousel({ ...at, bodyText: 'Cards', cards: [card(0), card(1)] }))
  sent.push(await client.messages.sendInteractiveCatalogMessage({ ...at, bodyText: 'Catalog', parameters: {} }))
  for (const answer of sent) t.match(answer, { messages: [{ id: /^wamid\./ }] })

  const media = await client.media.upload({
    phoneNumberId,
    type: 'image/png',
    file: new Blob([PNG], { type: 'image/png' }),
    fileName: 'a.png',
  })
  t.match(await client.media.get({ mediaId: media.id, phoneNumberId }), {
    id: media.id,
    mimeType: 'image/png',
    fileSize: '8',
  })
  const bytes = await client.media.download({ mediaId: media.id, auth: 'always' })
  t.same(Buffer.from(bytes as ArrayBuffer), PNG)
  await client.messages.sendImage({ ...at, image: { id: media.id } })
  await client.media.delete({ mediaId: media.id })
  await t.rejects(client.media.get({ mediaId: media.id }), { code: 100 })

  t.same(await client.messages.markRead({ phoneNumberId, messageId: 'wamid.X', typingIndicator: { type: 'text' } }), {
    success: true,
  })
  t.match((await control('GET', 'reads')).body.data, [{ message_id: 'wamid.X', typing: true }])

  const first: Json = await client.templates.list({ businessAccountId, limit: 3 })
  const second: Json = await client.templates.list({ businessAccountId, limit: 100, after: first.paging.cursors.after })
  const names = [...first.data, ...second.data].map((template: Json) => template.name)
  t.equal(first.data.length, 3)
  t.ok(
    ['hello_world', 'order_update', 'appointment_reminder', 'invoice_ready', 'book_visit'].every((name) =>
      names.includes(name),
    ),
  )
  t.match(
    await client.templates.create({
      businessAccountId,
      name: 'new_one',
      language: 'es',
      category: 'UTILITY',
      components: [{ type: 'BODY', text: 'Hola' }],
    }),
    { status: 'APPROVED' },
  )

  const { data } = (await control('GET', 'sent')).body
  t.equal(data.length, 13, 'each send was accepted once')
  t.match(data[0], {
    recipient: PERSON,
    type: 'text',
    opaque_data: 'order-7',
    count: 1,
    body: { text: { body: 'Olá' } },
  })
  await until('the callbacks of the text', () => receiver.statusesOf(text.messages[0]!.id).length === 3)
})

t.test('its Flows speak to @kapso/whatsapp-cloud-api', async (t) => {
  const { url } = await fixture(t)
  const client = new WhatsAppClient({ accessToken: NUMBER.access_token, baseUrl: url })
  const good = {
    version: '7.0',
    screens: [
      {
        id: 'ONE',
        title: 'One',
        terminal: true,
        layout: {
          type: 'SingleColumnLayout',
          children: [{ type: 'Footer', label: 'Done', onClickAction: { name: 'complete', payload: {} } }],
        },
      },
    ],
  } as Json
  const bad = {
    version: '7.0',
    screens: [
      { ...good.screens[0], terminal: false, layout: { type: 'SingleColumnLayout', children: [{ type: 'Knob' }] } },
    ],
  } as Json
  const created = await client.flows.create({
    wabaId: businessAccountId,
    name: 'Survey',
    categories: ['SURVEY'],
    flowJson: bad,
  })
  t.match(created.validationErrors, [
    { error: 'MISSING_TERMINAL_SCREEN' },
    { error: 'INVALID_PROPERTY_VALUE', errorType: 'FLOW_JSON_ERROR' },
  ])
  await t.rejects(client.flows.publish({ flowId: created.id }), { code: 100 }, 'a wrong Flow is not published')
  t.match(await client.flows.updateAsset({ flowId: created.id, json: good }), { success: true })
  t.match(await client.flows.publish({ flowId: created.id }), { success: true })
  t.match(await client.flows.get({ flowId: created.id }), { status: 'PUBLISHED' })
  const list: Json = await client.flows.list({ wabaId: businessAccountId })
  t.same(
    list.data.map((flow: Json) => flow.name),
    ['Book a visit', 'Survey'],
  )
  const published = await fetch(`${url}/v25.0/${created.id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${NUMBER.access_token}` },
  })
  t.equal(published.status, 400, 'a published Flow cannot be deleted')
  const draft = await client.flows.create({
    wabaId: businessAccountId,
    name: 'Draft',
    categories: ['OTHER'],
    flowJson: good,
  })
  const deleted = await fetch(`${url}/v25.0/${draft.id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${NUMBER.access_token}` },
  })
  t.same(await deleted.json(), { success: true })
})

t.test('whatsapp-api-js works against it with a rewritten fetch', async (t) => {
  const { url, control } = await fixture(t, { window: { enforced: false } })
  const rewritten = (target: string | URL, init: RequestInit) =>
    fetch(String(target).replace('https://graph.facebook.com', url), init)
  const api = new WhatsAppAPI({
    token: NUMBER.access_token,
    appSecret: NUMBER.app_secret,
    v: 'v25.0',
    ponyfill: { fetch: rewritten as typeof fetch },
  })
  const to = { phone: PERSON } as Json
  const form = new FormData()
  form.set('file', new File([PNG], 'a.png', { type: 'image/png' }))
  const { id } = (await api.uploadMedia(phoneNumberId, form)) as { id: string }
  const messages = [
    new Text('Hi'),
    new Image(id, true, 'with an id'),
    new Document('https://example.com/a.pdf', false, 'a', 'a.pdf'),
    new Location(-3.7, 40.4, 'Here', 'There'),
    new Contacts([new Name('Ana Díaz', 'Ana'), new Phone('+34600000000')]),
    new Reaction('wamid.X', '👍'),
    new Template('order_update', 'en_US', new BodyComponent(new BodyParameter('Ana'), new BodyParameter('A-1'))),
    new Template(
      'appointment_reminder',
      'en_US',
      new BodyComponent(
        new BodyParameter('Ana', 'customer_name'),
        new BodyParameter('3 May', 'appointment_date'),
        new BodyParameter('10:30', 'appointment_time'),
      ),
    ),
    new Interactive(new ActionButtons(new Button('y', 'Yes')), new Body('Pick')),
    new Interactive(new ActionList('Open', new ListSection('All', new Row('1', 'One'))), new Body('Pick')),
    new Interactive(new ActionCTA('Open', 'https://example.com'), new Body('See')),
    new Interactive(new ActionNavigateFlow('f-1', '900000000000001', 'Book', 'VISIT', { day: '1' }), new Body('Book')),
  ]
  for (const message of messages)
    t.match(await api.sendMessage(phoneNumberId, to, message), { messages: [{ id: /^wamid\./ }] }, message._type)
  t.same(await api.markAsRead(phoneNumberId, 'wamid.X', 'text'), { success: true })
  const media = (await api.retrieveMedia(id)) as Json
  t.match(media, { id, mime_type: 'image/png', file_size: 8 })
  t.same(Buffer.from(await (await api.fetchMedia(media.url)).arrayBuffer()), PNG)
  t.same(await api.deleteMedia(id), { success: true })
  t.match(await api.sendMessage(phoneNumberId, { bsuid: 'US.13491208655302741918' }, new Text('Hi')), {
    contacts: [{ user_id: 'US.13491208655302741918' }],
  })
  t.equal((await control('GET', 'sent')).body.total, messages.length + 1)
})

t.test('a wrong or missing bearer is refused with 190', async (t) => {
  const { url } = await fixture(t)
  const client = new WhatsAppClient({ accessToken: 'wrong', baseUrl: url })
  await t.rejects(client.messages.sendText({ phoneNumberId, to: PERSON, body: 'Hi' }), { httpStatus: 401, code: 190 })
  const bare = await fetch(`${url}/v25.0/${phoneNumberId}/messages`, { method: 'POST', body: '{}' })
  t.equal(bare.status, 401)
  t.equal(((await bare.json()) as Json).error.code, 190)
})
