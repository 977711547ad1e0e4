/** A bulk send while an agent composes it: the file, the recipients, the message, and one sending for many requests. */
import { join } from 'node:path'
import { signal } from '@preact/signals'
import t from 'tap'
import { parseCsv as parseInCommandLine } from '../../http/cli/broadcast/csv.ts'
import { phoneFault as faultInCommandLine, plainPhone as plainInCommandLine } from '../../http/cli/broadcast/sheet.ts'
import type { Json } from '../e2e/client.ts'

const pages = join(import.meta.dirname, '../../http/console/page')
const load = (name: string): Promise<Json> => import(join(pages, name))
const { Composition } = await load('broadcasts/compose/composition.ts')
const { decode, MAX_ROWS, parseCsv } = await load('broadcasts/compose/csv.ts')
const { columnNames, guessColumns, guessSources, phoneFault, plainPhone, readSheet } =
  await load('broadcasts/compose/sheet.ts')
const { nameOfVariable, previewOf } = await load('broadcasts/compose/template_text.ts')
const { durationText } = await load('broadcasts/compose/words.ts')
const { ApiError } = await load('data/api.ts')

const TEXTS = [
  'phone,name\n+5215512345678,Ana\n',
  'phone;name\r\n+5215512345678;"Pérez; Ana"\r\n\r\n+5215512345679;"a ""b"""\r\n',
  'sep=\t\nphone\tname\n+5215512345678\t\n',
  'phone|text\n+5215512345678|"two\nlines"\n+5215512345679|x',
  '"phone", "name" \n"+5215512345678" , x,',
  '\n \n+5215512345678\n',
]

t.test('a file is read as the command line reads it', async (t) => {
  for (const text of TEXTS) {
    t.same(await parseCsv(text), parseInCommandLine(Buffer.from(text)), JSON.stringify(text))
  }
  await t.rejects(parseCsv('a,"b\nc'), { message: 'Line 1: a quote (") is opened and never closed.' })
  await t.rejects(parseCsv('a\n"b" c,d'), { message: 'Line 2: after a closing quote (") stands “c”.' })
  t.equal(decode(Buffer.from('\ufeffphone\n', 'utf16le')), 'phone\n')
  t.throws(() => decode(Buffer.from([0xc3, 0x28])), { message: /not a text file in UTF-8/ })
  t.throws(() => decode(Buffer.from([0x50, 0x4b, 0x03, 0x00])), { message: /not a text file in UTF-8/ })
})

t.test('a large file is read in slices, and up to a limit', async (t) => {
  const lines = Array.from({ length: MAX_ROWS + 10 }, (_, n) => `+1555${n},"name ${n}"`)
  let pauses = 0
  const rows = await parseCsv(lines.join('\n'), async () => void pauses++)
  t.equal(rows.length, MAX_ROWS)
  t.equal(rows.at(-1).line, MAX_ROWS)
})

t.test('phones have the shape that the API asks for', async (t) => {
  const given = ['+5215512345678', '+52 (155) 1234-5678', '5215512345678', '+0123456', '5.2155E+12', '', '+1', 'Ana']
  for (const phone of given) {
    t.equal(plainPhone(phone), plainInCommandLine(phone))
    const [here, there] = [phoneFault(plainPhone(phone)), faultInCommandLine(plainInCommandLine(phone))]
    t.equal(here === undefined, there === undefined, phone)
  }
})

const rowsOf = (...lines: string[]) => lines.map((line, n) => ({ line: n + 1, cells: line.split(',') }))

t.test('each row is a person, a mistake with its line, or a repetition', async (t) => {
  const rows = rowsOf(
    'name,phone,order',
    'Ana,+5215512345678,A-1',
    'Luis,5215512345679,A-2',
    'Ana,+52 155 1234 5678,A-1',
    'Eva,+5215512345680,',
    'Rosa,+5215512345681',
    'Leo,no-es-telefono,A-6',
    ',+5215512345682,A-5',
  )
  const sources = {
    1: { column: 0, text: 'friend' },
    2: { column: 2, text: '' },
    3: { column: null, text: ' Parley ' },
  }
  const sheet = readSheet({ rows, has_head: true, phone_at: 1, variables: ['1', '2', '3'], sources })
  t.same(sheet.people, [
    { line: 2, phone: '+5215512345678', variables: { 1: 'Ana', 2: 'A-1', 3: 'Parley' } },
    { line: 8, phone: '+5215512345682', variables: { 1: 'friend', 2: 'A-5', 3: 'Parley' } },
  ])
  t.same(
    sheet.faults.map(({ line, reason }: Json) => `${line} ${reason}`),
    [
      '3 “5215512345679” is no phone number: it must begin with + and the country code',
      '5 “order” is empty',
      '6 “order” is empty',
      '7 “no-es-telefono” is no phone number: +, country code and number, 7 to 15 digits, such as +5215512345678',
    ],
  )
  t.same(sheet.repeated, [{ line: 4, phone: '+5215512345678', first_line: 2 }])
  t.equal(sheet.total, 7)
})

t.test('columns are guessed from their names and contents', async (t) => {
  t.same(guessColumns(rowsOf('name,Teléfono', 'Ana,+5215512345678')), { has_head: true, phone_at: 1 })
  t.same(guessColumns(rowsOf('who,where', 'Ana,+5215512345678')), { has_head: true, phone_at: 1 })
  t.same(guessColumns(rowsOf('Ana,+5215512345678', 'Eva,+5215512345679')), { has_head: false, phone_at: 1 })
  t.same(columnNames(rowsOf('Ana,+5215512345678'), false), ['Column 1', 'Column 2'])
  const columnsOf = (variables: string[], names: string[]) =>
    Object.values(guessSources(variables, names, 0)).map((source) => (source as Json).column)
  t.same(columnsOf(['customer_name', 'day'], ['phone', 'Day', 'Customer name']), [2, 1])
  t.same(columnsOf(['1', '2'], ['phone', 'name', 'order']), [1, 2], 'numbered ones by their order')
  t.same(columnsOf(['1', 'header_image'], ['phone', 'name']), [null, null])
})

t.test('the message is shown as the person will see it', async (t) => {
  const components = [
    { type: 'HEADER', format: 'TEXT', text: 'Invoice {{1}}' },
    { type: 'BODY', text: 'Hello {{1}}, over {{2}}.' },
    { type: 'FOOTER', text: 'Thank you' },
    { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Open', url: 'https://example.com/{{1}}' }] },
  ]
  const textOf = (pieces: Json[]) => pieces.map(({ text }) => text).join('')
  const preview = previewOf(components, { 1: 'Ana', header_1: 'F-7' })
  t.equal(textOf(preview.header), 'Invoice F-7')
  t.equal(textOf(preview.body), 'Hello Ana, over {{2}}.')
  t.ok(preview.body.find((piece: Json) => piece.variable === '2').is_open)
  t.same([preview.footer, preview.buttons, preview.file], ['Thank you', [{ kind: 'url', text: 'Open' }], null])
  t.equal(previewOf([{ type: 'HEADER', format: 'IMAGE' }], { header_image: 'https://x' }).file.value, 'https://x')
  t.equal(nameOfVariable('card_0_header_image'), 'Card 1: image of the header')
  t.equal(durationText({ seconds: 62.5, per_second: 80 }), 'about 2 min at 80 a second')
})

const CHANNEL = {
  _id: 'c1',
  name: 'Shop',
  channel_type: 'whatsapp',
  provider: 'cloud',
  is_active: true,
  messages_per_second: 10,
}
const TEMPLATE = {
  _id: 't1',
  name: 'hello',
  language: 'en',
  variables: ['1'],
  status: 'APPROVED',
  category: 'UTILITY',
  components: [],
}

/** A composition that is ready to be sent, and what it asks. `answers` are given one after the other. */
async function ready(answers: (Json | Error)[], kept = new Map<string, Json>()) {
  const asked: Json[] = []
  const project = {
    id: 'p1',
    user: { _id: 'u1' },
    definitions: signal({ channels: [CHANNEL, { ...CHANNEL, _id: 'c2', provider: 'qr' }] }),
    define() {},
    api: {
      get: async () => ({ data: [TEMPLATE], next_cursor: null }),
      async post(path: string, body: Json, { key }: Json) {
        asked.push({ path, body, key })
        const answer = answers.shift()
        if (answer instanceof Error) throw answer
        return answer
      },
    },
  }
  const drafts = {
    get: async (key: string) => structuredClone(kept.get(key)),
    put: async (key: string, value: Json) => void kept.set(key, structuredClone(value)),
    delete: async (key: string) => void kept.delete(key),
  }
  const composition = new Composition({ project, drafts, waits: [0, 0] })
  t.teardown(() => composition.close())
  await composition.open()
  composition.settle()
  await composition.readTemplates('c1')
  return { composition, asked, kept }
}

async function filled(answers: (Json | Error)[]) {
  const one = await ready(answers)
  one.composition.chooseTemplate(TEMPLATE)
  await one.composition.readPasted('phone,name\n+5215512345678,Ana\n')
  return one
}

const OFFLINE = () => new ApiError('OFFLINE', 'Parley cannot be reached.')

t.test('what is missing is said, and the only number is chosen', async (t) => {
  const { composition } = await ready([])
  const texts = () => composition.hindrances.value.map(({ text }: Json) => text)
  t.equal(composition.form.value.channel_id, 'c1')
  t.same(texts(), ['Choose a template.', 'Add the recipients.'])
  composition.chooseTemplate(TEMPLATE)
  t.same(texts(), ['Add the recipients.', 'Give 1 a column or a text.'])
  await composition.readPasted('phone,name\n+5215512345678,Ana\n521551234567,Eva\n')
  t.same(texts(), ['A row has a mistake. Mend the file, or leave the row out.'])
  composition.change({ leaves_out_faults: true })
  t.same(texts(), [])
  t.same(composition.estimate.value, { per_second: 10, seconds: 0.1 })
})

t.test('a lost answer is asked for again, under the same key', async (t) => {
  const { composition, asked, kept } = await filled([OFFLINE(), OFFLINE(), { broadcast_id: 'brd_1' }])
  t.equal(await composition.send(), 'brd_1')
  t.equal(asked.length, 3)
  t.equal(new Set(asked.map(({ key }) => key)).size, 1)
  t.equal(new Set(asked.map(({ body }) => JSON.stringify(body))).size, 1)
  t.same(asked[0].body.recipients, [{ phone: '+5215512345678', variables: { 1: 'Ana' } }])
  t.equal(kept.size, 0, 'the draft is gone')
})

t.test('the key is kept before the request, and a reload asks under it again', async (t) => {
  const { composition, asked, kept } = await filled([OFFLINE(), OFFLINE(), OFFLINE()])
  t.equal(await composition.send(), undefined)
  t.equal(composition.state.value, 'unsure')
  composition.change({ campaign_name: 'Another' })
  t.equal(composition.form.value.campaign_name, '', 'the form does not change meanwhile')
  const again = await ready([{ broadcast_id: 'brd_1' }], kept)
  t.equal(again.composition.state.value, 'unsure')
  t.equal(await again.composition.send(), 'brd_1')
  t.equal(again.asked[0].key, asked[0].key)
  t.same(again.asked[0].body, asked[0].body)
})

t.test('a decided refusal ends the request, and the next one has another key', async (t) => {
  const refused = new ApiError('TEMPLATE_NOT_FOUND', 'There is no such template.', { status: 422 })
  const { composition, asked } = await filled([refused, { broadcast_id: 'brd_2' }])
  t.equal(await composition.send(), undefined)
  t.equal(composition.state.value, 'idle')
  t.equal(composition.fault.value.code, 'TEMPLATE_NOT_FOUND')
  t.equal(await composition.send(), 'brd_2')
  t.not(asked[0].key, asked[1].key)
})

t.test('a session that ends meanwhile leaves the request as it was', async (t) => {
  const over = new ApiError('UNAUTHORIZED', 'Please sign in.', { status: 401 })
  const { composition, kept } = await filled([OFFLINE(), over])
  t.equal(await composition.send(), undefined)
  t.equal(composition.state.value, 'unsure')
  t.ok(kept.get('broadcast u1 p1').sending.key)
})

t.test('a key that the server has forgotten is not used again', async (t) => {
  const { composition, kept } = await filled([])
  await composition.send().catch(() => undefined)
  const [[key, draft]] = [...kept] as [[string, Json]]
  draft.sending = { key: 'old', begun_at: new Date(Date.now() - 24 * 3_600_000).toISOString() }
  const again = await ready([], new Map([[key, draft]]))
  t.equal(again.composition.state.value, 'idle')
  t.equal(again.composition.form.value.sending, null)
})
