/** A message in a few words: the same in the list, above an answer, in a notice and to screen readers. */
import { join } from 'node:path'
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'
import { messages } from './message_examples.ts'

const pages = join(import.meta.dirname, '../../http/console/page/crm')
const load = (name: string): Promise<Json> => import(join(pages, name))
const { wordsOf } = await load('preview.ts')
const { rowAfterMessage } = await load('rows.ts')
const { TemplateTexts } = await load('template_texts.ts')

/** What is sent, by its type. */
const sent: { [Type in keyof typeof messages]: string } = {
  text: 'Your order is on its way: https://shop.example.com',
  image: 'A cat',
  video: 'A cat that moves',
  audio: 'Voice message',
  document: 'Due soon',
  sticker: 'Sticker',
  location: 'Location: Zócalo',
  contacts: 'Contact: Ana Díaz',
  reaction: 'Reacted with 👍🏽',
  template: 'Template: order_update',
  buttons: 'Shall we ship it?',
  list: 'Choose a day',
  cta_url: 'Track it',
  catalog: 'Have a look',
  carousel: 'New arrivals',
  flow: 'Fill it in',
}

const got: [says: string, type: string, message: Json][] = [
  ['Picture', 'image', { media_id: 'x' }],
  ['bill.pdf', 'document', { filename: 'bill.pdf' }],
  ['Audio', 'audio', { voice: false }],
  ['Blue in Green', 'audio', { voice: false, title: 'Blue in Green' }],
  ['Sticker 😀', 'sticker', { emoji: '😀' }],
  ['Location', 'location', { latitude: 1, longitude: 2 }],
  ['Location: Centro', 'location', { name: '', address: 'Centro' }],
  [
    'Contacts: Ana, Luis',
    'contacts',
    { contacts: [{ name: { formatted_name: 'Ana' } }, { name: { formatted_name: 'Luis' } }] },
  ],
  ['Contact', 'contacts', { contacts: 'none' }],
  ['Took a reaction back', 'reaction', { emoji: '' }],
  ['Yes', 'interactive', { button_reply: { id: 'yes', title: 'Yes' } }],
  ['Friday', 'interactive', { list_reply: { id: 'fri', title: 'Friday', description: '9 to 12' } }],
  ['Filled in a form', 'interactive', { nfm_reply: { response_json: '{}' } }],
  ['Agreed to be called', 'interactive', { call_permission_reply: { response: 'accept' } }],
  ['Answer', 'interactive', {}],
  ['Order of 2 products: Fast, please', 'order', { product_items: [{}, {}], text: 'Fast, please' }],
  ['Order of 1 product', 'order', { product_items: [{}] }],
  ['Offer', 'text', { body: '', subject: 'Offer' }],
  ['Opened the chat', 'request_welcome', {}],
  ['Edited a message', 'edit', {}],
  ['Successful payment', 'unsupported', { kind: 'successful_payment' }],
]

t.test('each type that is sent has words', async (t) => {
  for (const [type, says] of Object.entries(sent)) {
    t.equal(wordsOf({ type, message: messages[type as keyof typeof messages] }), says, type)
  }
})

t.test('each kind that arrives has words', async (t) => {
  for (const [says, type, message] of got) t.equal(wordsOf({ type, message }), says, `${type}: ${says}`)
})

t.test('a withdrawn message says so, and a row of a list says the beginning of the text that it has', async (t) => {
  t.equal(wordsOf({ type: 'text', message: { body: 'Hello' }, deleted_at: '2026-11-30T10:00:00.000Z' }), 'Withdrawn')
  t.equal(wordsOf({ type: 'text', text: 'Hello', message: null }), 'Hello')
  t.equal(wordsOf({ type: 'image', text: null, message: null }), 'Picture')
})

const components = [
  { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' },
  { type: 'BODY', text: 'Hello {{1}}, your order {{2}} is on its way.' },
]

/** Templates as a server has them, each asked for once. */
async function readTemplates(found: Json[], message: Json) {
  const asked: Json[] = []
  const texts = new TemplateTexts({
    api: { get: async (_: string, query: Json) => asked.push(query) && { data: found } },
  })
  wordsOf(message, texts)
  await new Promise((resolve) => setImmediate(resolve))
  return { asked, texts }
}

t.test('a template is shown by its text with the values, wherever a message has few words', async (t) => {
  const message = { type: 'template', channel_id: 'c', message: messages.template, id: 'msg_1', direction: 'outbound' }
  const { asked, texts } = await readTemplates([{ components }], message)
  t.equal(wordsOf(message, texts), 'Hello Ana, your order A-1042 is on its way.')
  const row = rowAfterMessage({ last_message: null, unread_count: 0, waiting_since: null }, message, false)
  t.equal(wordsOf(row.last_message, texts), 'Hello Ana, your order A-1042 is on its way.', 'a row after an event')
  t.same(asked, [{ channel_id: 'c', name: 'order_update', language: 'en_US', limit: 1 }], 'read once')
})

t.test('a template that is gone at the provider has its name, and one with a header alone this', async (t) => {
  const message = { type: 'template', channel_id: 'c', message: messages.template }
  t.equal(wordsOf(message, (await readTemplates([], message)).texts), 'Template: order_update')
  const { texts } = await readTemplates([{ components: components.slice(0, 1) }], message)
  t.equal(wordsOf(message, texts), 'Order Ana')
  await eventually(
    'a row that has no content shows the kind',
    () => wordsOf({ type: 'template', message: null }, texts) === 'Template',
  )
})
