import t from 'tap'
import { messageTypes, type Payload } from '../../../../actors/mod.ts'
import { buildMessage, templateVariables, WhatsAppClient } from '../../../../actors/providers/whatsapp/mod.ts'
import { fixture, NUMBER, PERSON } from '../../../simulator/fixture.ts'

const link = 'https://example.com/file'
const footer_text = 'Footer'
const body_text = 'Body'
const card = { header: { type: 'image', link: `${link}.png` }, body_text, action: { display_text: 'Open', url: link } }

const payloads: Payload[] = [
  { type: 'text', body: 'Hello' },
  { type: 'image', link: `${link}.jpg`, caption: 'c' },
  { type: 'video', link: `${link}.mp4` },
  { type: 'audio', link: `${link}.ogg`, voice: true },
  { type: 'document', link: `${link}.pdf`, filename: 'a.pdf' },
  { type: 'sticker', link: `${link}.webp` },
  { type: 'location', latitude: 40.4, longitude: -3.7, name: 'Here', address: 'There' },
  {
    type: 'contacts',
    contacts: [{ name: { formatted_name: 'Ana', first_name: 'Ana' }, phones: [{ phone: '+34600000000' }] }],
  },
  {
    type: 'template',
    name: 'invoice_ready',
    language: 'en_US',
    variables: { header_1: 'F-1', 1: 'Ana', 2: '3', button_0: '7' },
  },
  {
    type: 'buttons',
    body_text,
    buttons: [{ id: 'y', title: 'Yes' }],
    header: { type: 'text', text: 'Head' },
    footer_text,
  },
  {
    type: 'list',
    body_text,
    button_text: 'Open',
    sections: [{ title: 'All', rows: [{ id: '1', title: 'One' }] }],
    footer_text,
  },
  { type: 'cta_url', body_text, display_text: 'Open', url: link, footer_text },
  { type: 'catalog', body_text, thumbnail_product_retailer_id: 'p1', footer_text },
  { type: 'carousel', body_text, cards: [card, card] },
  {
    type: 'flow',
    body_text,
    flow_id: '900000000000001',
    flow_token: 'f-1',
    flow_cta: 'Book',
    flow_action: 'navigate',
    flow_action_payload: { screen: 'VISIT', data: { a: 1 } },
  },
]

t.test('the simulated provider takes every type and every template', async (t) => {
  const { url } = await fixture(t, { window: { enforced: false }, rate: { per_second: 0, pair: false } })
  const credentials = { ...NUMBER, api_base_url: url }
  const client = new WhatsAppClient()
  t.teardown(() => client.close())
  const listed = await client.listTemplates(credentials)
  const templates = 'templates' in listed ? listed.templates : []
  const send = (payload: Payload) => {
    const template = payload.type === 'template' ? payload : undefined
    const { components } =
      templates.find(({ name, language }) => name === template?.name && language === template.language) ?? {}
    return client.send(credentials, buildMessage(payload, { to: `+${PERSON}`, opaque: 'msg_1', components }))
  }
  const first = await send({ type: 'text', body: 'x' })
  const message_id = 'sent' in first ? first.sent : ''
  const all: Payload[] = [...payloads, { type: 'reaction', message_id, emoji: '👍' }]
  t.strictSame(all.map(({ type }) => type).toSorted(), [...messageTypes].toSorted(), 'all there are')
  for (const payload of all) t.match(await send(payload), { sent: /^wamid\./ }, payload.type)
  for (const { name, language, status, components } of templates) {
    if (status !== 'APPROVED') continue
    const value = (variable: string) => (variable === 'header_image' ? `${link}.jpg` : '17')
    const variables = Object.fromEntries(templateVariables(components).map((variable) => [variable, value(variable)]))
    t.match(await send({ type: 'template', name, language, variables }), { sent: /^wamid\./ }, `${name} ${language}`)
  }
})
