/** Shared persons, orders and events of projects in the thread of the console: all that they say is shown. */
import { join } from 'node:path'
import t from 'tap'
import type { Json } from '../e2e/client.ts'

const pages = join(import.meta.dirname, '../../http/console/page/inbox/thread')
const { cardLines, orderLines } = await import(join(pages, 'content/cards.ts'))
const { eventInWords } = await import(join(pages, '../../crm/entry/event_words.ts'))
const { answersOf } = await import(join(pages, 'content/form_answers.ts'))

t.test('the card of a shared person has all lines, each once', async (t) => {
  const rows: [rule: string, contact: Json, lines: string[]][] = [
    ['a phone as WhatsApp has it', { phones: [{ phone: '+34 600 1', wa_id: '346001', type: 'CELL' }] }, ['+34 600 1']],
    ['a phone with its id only', { phones: [{ wa_id: '346001' }] }, ['346001']],
    ['the same number twice', { phones: [{ phone: '+1' }, { phone: '+1' }] }, ['+1']],
    ['a company', { org: { company: 'Mills', title: 'Baker' } }, ['Baker, Mills']],
    [
      'an address alone',
      { addresses: [{ street: 'Calle 1', city: 'Sevilla', zip: '41001', country: 'Spain', country_code: 'es' }] },
      ['Calle 1, 41001 Sevilla, Spain'],
    ],
    [
      'pages and a birthday',
      { urls: [{ url: 'https://m.example' }], birthday: '1980-02-29' },
      ['https://m.example', '1980-02-29'],
    ],
    ['values of other kinds', { phones: 'none', emails: [null, {}], org: 7, addresses: [{}] }, []],
  ]
  for (const [rule, contact, lines] of rows) t.same(cardLines(contact), lines, rule)
})

t.test('an order names each product with its number and its price', async (t) => {
  const product_items = [
    { product_retailer_id: 'bread-3', quantity: 2, item_price: 2.5, currency: 'EUR' },
    { product_retailer_id: 'salt' },
    {},
    null,
  ]
  t.same(orderLines({ product_items }), [
    ['bread-3', '× 2, 2.5 EUR'],
    ['salt', '× 1'],
    ['A product', '× 1'],
  ])
  t.same(orderLines({}), [])
})

t.test('an event of a project shows lists and objects', async (t) => {
  const data = { items: ['a', 2, null], place: { city: 'Sevilla' }, is_gift: false }
  t.same(eventInWords('custom.order_shipped', data, null).fields, [
    ['Items', 'a, 2, –'],
    ['Place', '{"city":"Sevilla"}'],
    ['Is gift', 'No'],
  ])
})

t.test('a form with more answers than are shown says how many', async (t) => {
  const given = Object.fromEntries(Array.from({ length: 103 }, (_, at) => [`q${at}`, at]))
  t.equal(answersOf({ response_json: JSON.stringify(given) }).left_out, 3)
})
