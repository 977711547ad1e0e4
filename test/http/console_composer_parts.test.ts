/**
 * The modules beside the composer's text that need no page: emoji, mentions, canned responses, templates, moments, places, reactions.
 */
import { join } from 'node:path'
import t from 'tap'
import type { Json } from '../e2e/client.ts'

const inbox = join(import.meta.dirname, '../../http/console/page/inbox')
const load = (name: string): Promise<Json> => import(join(inbox, name))
const { fill, valuesOf } = await load('composer/canned/fill.ts')
const { agentsFor, insertAt, mentionsIn, triggerAt } = await load('composer/triggers.ts')
const { momentsAfter, problemOfMoment } = await load('../crm/entry/moments.ts')
const { firstValues, nameOfVariable, shownTemplate } = await load('../crm/template.ts')
const { matching } = await load('composer/canned/canned.ts')
const { emojiFor } = await load('composer/field/emoji_list.ts')
const { placeIn } = await load('forms/place_in.ts')
const { reactionsIn } = await load('thread/conversation/reactions.ts')

t.test('emoji are found by the beginnings of their words and by their kind', async (t) => {
  const found = (query: string): string[] =>
    emojiFor(query).flatMap(({ list }: Json) => list.map(({ emoji }: Json) => emoji))
  t.ok(found('').length >= 80, 'all of them without a query')
  t.equal(new Set(found('')).size, found('').length, 'each is there once')
  for (const [query, emoji] of [
    ['thumbs down', ['👎']],
    ['THUMBS d', ['👎']],
    ['deliv', ['🚚']],
    ['mail', ['📧']],
    ['  ', found('')],
    ['umbs', []],
  ] as const)
    t.same(found(query), emoji, query)
  t.ok(found('hands').length > 10)
})

t.test('a slash and an at sign offer something at the beginning of a word only', async (t) => {
  t.match(triggerAt('Dear /la', 8, '/'), { query: 'la', start: 5, end: 8 })
  t.match(triggerAt('/', 1, '/'), { query: '' })
  t.equal(triggerAt('and/or', 6, '/'), undefined)
  t.equal(triggerAt('https://x', 9, '/'), undefined)
  t.match(triggerAt('see @eva lu', 11, '@'), { query: 'eva lu' })
  t.equal(triggerAt('a@b.c', 5, '@'), undefined)
  t.same(insertAt('Dear /la!', { start: 5, end: 8 }, 'Ana'), { text: 'Dear Ana!', caret: 8 })
})

t.test('colleagues are found by the beginnings of their names, and mentioned by the whole name', async (t) => {
  const agents = [
    { _id: '1', full_name: 'Eva Luna', email: 'eva@x.y' },
    { _id: '2', full_name: 'Eva Luna Ruiz', email: 'ruiz@x.y' },
    { _id: '3', full_name: 'José Peña', email: 'jp@x.y' },
  ]
  const found = (query: string) => agentsFor(agents, query).map(({ _id }: Json) => _id)
  t.same(found('jose pe'), ['3'])
  t.same(found('una'), [])
  t.same(found(''), ['1', '2', '3'])
  t.same(mentionsIn('@Eva Luna Ruiz, see', agents), ['2'])
  t.same(mentionsIn('@Eva Luna and @Eva Luna Ruiz', agents).sort(), ['1', '2'])
  t.same(mentionsIn('Eva Luna', agents), [])
})

t.test('variables are filled; unknown ones stay in sight', async (t) => {
  const agent = { full_name: 'Max Sol', email: 'max@x.y' }
  const values = valuesOf({ contact: { name: 'Ana Torres', phone: null }, agent, project: { name: 'Shop' } })
  t.equal(
    fill('Dear {{contact.first_name}} ({{ contact.phone }}), {{agent.name}}, {{order}}', values),
    'Dear Ana (), Max Sol, {{order}}',
  )
  const nameless = valuesOf({ contact: {}, agent: { full_name: 'Max Sol', email: '' }, project: { name: 'Shop' } })
  t.equal(fill('Hello {{contact.first_name}}, I am {{agent.name}}.', nameless), 'Hello, I am Max Sol.')
})

t.test('a template is shown with its variables, those of the header and the body apart', async (t) => {
  const components = [
    { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' },
    { type: 'BODY', text: 'Dear {{1}}, see {{2}}' },
    { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Open' }] },
  ]
  const { header, body, buttons } = shownTemplate(components, { header_1: 'A-1', 1: 'Ana' })
  const text = (pieces: Json[]) => pieces.map((piece) => piece.text).join('')
  t.equal(text(header), 'Order A-1')
  t.equal(text(body), 'Dear Ana, see {{2}}')
  t.same(body.filter(({ is_missing }: Json) => is_missing).length, 1)
  t.same(buttons, ['Open'])
  t.equal(nameOfVariable('card_1_header_image'), 'Card 2: Picture of the header')
  t.same(firstValues(['1', 'name'], { name: 'Ana' }), { 1: '', name: 'Ana' })
  for (const [body, first] of [
    ['Hola {{1}}, tu pedido {{2}} está en camino.', 'Ana'],
    ['¡Hola, {{1}}!', 'Ana'],
    ['Dear {{1}}', 'Ana'],
    ['Order {{1}} is on its way', ''],
    ['Hi! Your code is {{1}}', ''],
  ] as const)
    t.same(firstValues(['1', '2'], { name: 'Ana Torres' }, body), { 1: first, 2: '' }, body)
  const custom_fields = { order: 'A-17', points: 40, is_vip: true, name: 'Somebody else' }
  t.same(
    firstValues(['name', 'order', 'points', 'is_vip', 'toString'], { name: 'Ana', custom_fields }),
    { name: 'Ana', order: 'A-17', points: '40', is_vip: '', toString: '' },
    'fields of the contact by their keys, where they are texts or numbers',
  )
})

t.test('moments to choose are in the future, in order and different', async (t) => {
  for (const day of [1, 2, 3, 4, 5, 6, 7]) {
    for (const hour of [0, 9, 13, 18, 23]) {
      const now = new Date(2026, 10, day, hour, 30)
      const times = momentsAfter(now).map(({ at }: { at: Date }) => at.getTime())
      t.ok(times.every((time: number) => time > now.getTime()))
      t.equal(new Set(times).size, times.length)
    }
  }
  const now = new Date(2026, 10, 1)
  t.match(problemOfMoment(new Date(2026, 9, 1), now), /future/)
  t.match(problemOfMoment(new Date(2028, 9, 1), now), /within a year/)
  t.equal(problemOfMoment(new Date(2026, 10, 2), now), undefined)
})

t.test('canned responses whose shortcut begins with the query come first', async (t) => {
  const canned = (shortcut: string, content = '') => ({ shortcut, title: null, content })
  const list = [canned('chocolate'), canned('hello', 'you are late'), canned('late')]
  t.same(
    matching(list, 'LATE').map(({ shortcut }: Json) => shortcut),
    ['late', 'chocolate', 'hello'],
  )
})

t.test('places are found in links and in pairs of numbers', async (t) => {
  const place = { latitude: 19.4326, longitude: -99.1332 }
  for (const text of [
    '19.4326, -99.1332',
    'https://www.google.com/maps/place/X/@19.4326,-99.1332,17z',
    'https://www.google.com/maps/place/X/@1.0,2.0,17z/data=!3d19.4326!4d-99.1332',
    'https://maps.google.com/?q=19.4326,-99.1332',
    'https://www.openstreetmap.org/?mlat=19.4326&mlon=-99.1332#map=16/1.0/2.0',
  ])
    t.same(placeIn(text), place, text)
  t.equal(placeIn('91, 10'), undefined)
  t.equal(placeIn('Zócalo'), undefined)
})

t.test('the last reaction of each side is at its message; an empty one takes it back', async (t) => {
  const reaction = (id: string, direction: string, emoji: string, message_id = 'm') => ({
    id,
    type: 'reaction',
    direction,
    message: { message_id, emoji },
  })
  const message = { id: 'm', provider_message_id: 'wamid', type: 'text', direction: 'inbound', message: {} }
  const { of, placed } = reactionsIn([
    message,
    reaction('1', 'outbound', '👍'),
    reaction('2', 'inbound', '❤️', 'wamid'),
    reaction('3', 'outbound', '😂'),
    reaction('4', 'outbound', '😮', 'elsewhere'),
    { ...reaction('5', 'outbound', '🙏'), status: 'failed' },
  ])
  t.same(of.get('m'), [
    { direction: 'outbound', emoji: '😂' },
    { direction: 'inbound', emoji: '❤️' },
  ])
  t.same([...placed], ['1', '2', '3'])
  t.equal(reactionsIn([message, reaction('1', 'inbound', '👍'), reaction('2', 'inbound', '')]).of.size, 0)
})
