/** White space in the variables of templates: what WhatsApp refuses is refused before it is stored, or made one space. */
import t from 'tap'
import { reminderVariables } from '../../actors/project/scheduling/reminder_text.ts'
import { refusedVariables } from '../../actors/providers/whatsapp/mod.ts'
import { broadcastWhen, recipientsOf, sendBulk } from '../e2e/broadcast_client.ts'
import type { Json } from '../e2e/client.ts'
import { joinWorld, makeTenant } from '../e2e/fixture.ts'
import { appointmentsOf, reminder, SOON_MS } from '../e2e/reminder_client.ts'

const world = await joinWorld(t)

const REFUSED: Record<string, string> = {
  'a tab': 'Iris\tVale',
  'a line break': 'Iris\nVale',
  'a line break of Windows': 'Iris\r\nVale',
  'a line break at the end': 'Iris\n',
  'a line separator': 'Iris\u2028Vale',
  'a next line': 'Iris\u0085Vale',
  'a form feed': 'Iris\fVale',
  'five spaces': 'Iris     Vale',
  'one space alone': ' ',
  'spaces alone': '      ',
  'a no-break space alone': '\u00a0',
}
const TAKEN: Record<string, string> = {
  'four spaces': 'Iris    Vale',
  'spaces around': ' Iris ',
  'no-break spaces': 'Iris\u00a0\u00a0Vale',
  'a joiner': 'کتاب\u200cها',
  'a point': '.',
}

t.test('a variable with white space that WhatsApp refuses is refused by its name', async (t) => {
  const tenant = await makeTenant(world)
  const send = (variables: Json, fields: Json = {}) =>
    tenant.send('+15550370001', {
      message: { type: 'template', name: 'order_update', language: 'en_US', variables, ...fields },
    })
  for (const [what, text] of Object.entries(REFUSED)) {
    for (const name of ['1', '2']) {
      const { status, body } = await send({ 1: 'Ana', 2: 'B-7', [name]: text })
      t.match(
        { status, error: body.error },
        { status: 422, error: { code: 'TEMPLATE_VARIABLE_INVALID', details: { variables: [name] } } },
        what,
      )
      t.match(body.error.message, `: ${name}.`)
    }
  }
  t.same((await tenant.api('GET', 'messages')).body.data, [])
  const both = await send({ 1: 'a\nb', 2: 'c\td' })
  t.same(both.body.error.details, { variables: ['1', '2'] })
  for (const [what, text] of Object.entries(TAKEN)) {
    const { status, body } = await send({ 1: text, 2: 'B-7' })
    t.equal(status, 202, what)
    t.match(await tenant.message(body.id, 'delivered', 'read', 'failed'), { error: null }, what)
  }
  t.equal(
    (await send({ 1: 'Ana', 2: 'B-7', other: 'a\nb' })).status,
    202,
    'a variable that the template has not is left out',
  )
})

t.test('a recipient of a bulk send with such a variable fails alone', async (t) => {
  const tenant = await makeTenant(world)
  const to = (n: number, text: string) => ({ phone: `+1555037100${n}`, variables: { 1: text, 2: 'B-7' } })
  const id = await sendBulk(tenant, [to(1, 'Ana'), to(2, 'Iris\nVale'), to(3, 'Iris     Vale'), to(4, 'Bo')])
  const record = await broadcastWhen(
    tenant,
    id,
    'is over',
    ({ pending_count, read_count }) => pending_count === 0 && read_count === 2,
  )
  t.equal(record.failed_count, 2)
  for (const failed of await recipientsOf(tenant, id, '&status=failed')) {
    t.match(failed, { message_id: null, error: { code: 'TEMPLATE_VARIABLE_INVALID', message: /: 1\.$/ } })
  }
})

t.test('a reminder makes white space one space', async (t) => {
  const tenant = await makeTenant(world)
  const { book, becomes, sentTo } = appointmentsOf(world, tenant)
  const location = 'Pier 2\nGate 5'
  const one = await book(SOON_MS, {
    location,
    reminder: reminder({ variables: { 1: 'Ana', 2: 'At {location}\r\n\tsoon' } }),
  })
  const { reminder: done } = await becomes(one.id, 'sent')
  const message = await tenant.message(done.message_id, 'delivered', 'read', 'failed')
  t.match(message, { error: null, message: { variables: { 1: 'Ana', 2: 'At Pier 2 Gate 5 soon' } } })
  t.match(JSON.stringify(await sentTo(one.user_id)), 'At Pier 2 Gate 5 soon')
})

t.test('a text of a reminder is never empty', (t) => {
  const row = { number: 1, starts_at: new Date(0), timezone: 'UTC', location: ' \n ', meeting_url: null, name: 'Ana' }
  const filled = reminderVariables(
    { 1: '{location}', 2: '\n', 3: 'a\u2028\u2029b', 4: ' a      b ' },
    row as never,
    'en',
  )
  t.same(filled, { 1: '-', 2: '-', 3: 'a b', 4: 'a b' })
  t.end()
})

t.test('headers, buttons and cards have the rule; files and places have not', (t) => {
  const body = { type: 'BODY', text: 'Hi {{1}}' }
  const rows: [components: Json[], given: Record<string, string>, refused: string[]][] = [
    [[{ type: 'HEADER', format: 'TEXT', text: 'For {{1}}' }, body], { 1: 'Ana', header_1: 'a\nb' }, ['header_1']],
    [
      [
        { type: 'HEADER', format: 'TEXT', text: 'In {{city}}' },
        { type: 'BODY', text: '{{name}}' },
      ],
      { city: 'a\tb', name: 'c' },
      ['city'],
    ],
    [
      [body, { type: 'BUTTONS', buttons: [{ type: 'URL', url: 'https://a.example/{{1}}' }] }],
      { 1: 'Ana', button_0: 'x\ny' },
      ['button_0'],
    ],
    [
      [{ type: 'CAROUSEL', cards: [{ components: [body] }, { components: [body] }] }],
      { card_0_1: 'ok', card_1_1: 'a\nb' },
      ['card_1_1'],
    ],
    [[{ type: 'HEADER', format: 'IMAGE' }, body], { 1: 'Ana', header_image: 'https://a.example/x     y' }, []],
    [[{ type: 'HEADER', format: 'LOCATION' }, body], { 1: 'Ana', header_name: 'Pier\n2' }, []],
    [[body], {}, []],
  ]
  for (const [components, given, refused] of rows) t.same(refusedVariables(components, given), refused)
  t.end()
})

t.test('the simulator refuses it in body and header, whoever sends it', async (t) => {
  const tenant = await makeTenant(world)
  const parameters = (text: string) => [{ type: 'text', text }]
  for (const [what, text] of Object.entries(REFUSED).slice(0, 8)) {
    const components = [{ type: 'body', parameters: [...parameters(text), ...parameters('B-7')] }]
    const template = { name: 'order_update', language: { code: 'en_US' }, components }
    const payload = { type: 'template', to: '15550370009', template }
    const { status, body } = await tenant.api('POST', 'messages/raw', { payload })
    t.equal(status, 202, what)
    t.match(await tenant.message(body.id, 'failed'), { error: { code: '132012' } }, what)
  }
})
