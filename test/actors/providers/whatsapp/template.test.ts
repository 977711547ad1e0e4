import t from 'tap'
import { buildMessage, templateVariables, withExamples } from '../../../../actors/providers/whatsapp/mod.ts'

type Case = {
  name: string
  components: Record<string, unknown>[]
  variables: Record<string, string>
  flow?: { flow_token?: string; button_index?: number; flow_action_data?: Record<string, unknown> }
  sent: unknown[]
}

const text = (value: string) => ({ type: 'text', text: value })
const named = (parameter_name: string, value: string) => ({ type: 'text', parameter_name, text: value })
const flowButton = (index: string, action: object) => ({
  type: 'button',
  sub_type: 'flow',
  index,
  parameters: [{ type: 'action', action }],
})

const cases: Case[] = [
  {
    name: 'nothing to fill',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Hi' },
      { type: 'BODY', text: 'x' },
    ],
    variables: {},
    sent: [],
  },
  {
    name: 'numbers, whatever their order in the text',
    components: [{ type: 'BODY', text: 'b {{2}} a {{1}} again {{2}} and {{10}}' }],
    variables: { 1: 'one', 2: 'two', 10: 'ten' },
    sent: [{ type: 'body', parameters: [text('one'), text('two'), text('ten')] }],
  },
  {
    name: 'names',
    components: [
      { type: 'HEADER', format: 'TEXT', text: '{{city}}' },
      { type: 'BODY', text: '{{ first_name }} in {{city}}' },
    ],
    variables: { city: 'Quito', first_name: 'Ana' },
    sent: [
      { type: 'header', parameters: [named('city', 'Quito')] },
      { type: 'body', parameters: [named('first_name', 'Ana'), named('city', 'Quito')] },
    ],
  },
  {
    name: 'header and body each count from one',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Invoice {{1}}' },
      { type: 'BODY', text: '{{1}} owes {{2}}' },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'URL', url: 'https://example.com' },
          { type: 'URL', url: 'https://example.com/{{1}}' },
        ],
      },
    ],
    variables: { header_1: 'F-1', 1: 'Ana', 2: '$3', button_1: 'abc' },
    sent: [
      { type: 'header', parameters: [text('F-1')] },
      { type: 'body', parameters: [text('Ana'), text('$3')] },
      { type: 'button', sub_type: 'url', index: '1', parameters: [text('abc')] },
    ],
  },
  {
    name: 'only the header has a number',
    components: [
      { type: 'HEADER', text: 'Hi {{1}}' },
      { type: 'BODY', text: 'x' },
    ],
    variables: { 1: 'Ana' },
    sent: [{ type: 'header', parameters: [text('Ana')] }],
  },
  {
    name: 'a picture by link',
    components: [{ type: 'HEADER', format: 'IMAGE' }],
    variables: { header_image: 'https://example.com/a.jpg' },
    sent: [{ type: 'header', parameters: [{ type: 'image', image: { link: 'https://example.com/a.jpg' } }] }],
  },
  {
    name: 'a document by id',
    components: [{ type: 'HEADER', format: 'DOCUMENT' }],
    variables: { header_document: '123' },
    sent: [{ type: 'header', parameters: [{ type: 'document', document: { id: '123' } }] }],
  },
  {
    name: 'a place',
    components: [{ type: 'HEADER', format: 'LOCATION' }],
    variables: { header_latitude: '1', header_longitude: '2', header_name: 'N', header_address: 'A' },
    sent: [
      {
        type: 'header',
        parameters: [{ type: 'location', location: { latitude: '1', longitude: '2', name: 'N', address: 'A' } }],
      },
    ],
  },
  {
    name: 'a coupon',
    components: [
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'QUICK_REPLY', text: 'No' },
          { type: 'COPY_CODE', example: 'X' },
        ],
      },
    ],
    variables: { button_1: 'SAVE10' },
    sent: [
      {
        type: 'button',
        sub_type: 'copy_code',
        index: '1',
        parameters: [{ type: 'coupon_code', coupon_code: 'SAVE10' }],
      },
    ],
  },
  {
    name: 'a one-time password is given once',
    components: [
      { type: 'BODY', text: '*{{1}}* is your code.' },
      {
        type: 'BUTTONS',
        buttons: [{ type: 'URL', url: 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}' }],
      },
    ],
    variables: { 1: '123456' },
    sent: [
      { type: 'body', parameters: [text('123456')] },
      { type: 'button', sub_type: 'url', index: '0', parameters: [text('123456')] },
    ],
  },
  {
    name: 'a flow',
    components: [
      { type: 'BODY', text: '{{1}}' },
      { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY' }, { type: 'FLOW' }] },
    ],
    variables: { 1: 'Ana' },
    flow: { flow_token: 't-1', flow_action_data: { id: 7 } },
    sent: [
      { type: 'body', parameters: [text('Ana')] },
      flowButton('1', { flow_token: 't-1', flow_action_data: { id: 7 } }),
    ],
  },
  {
    name: 'a flow nobody bound',
    components: [{ type: 'BUTTONS', buttons: [{ type: 'FLOW' }] }],
    variables: {},
    sent: [flowButton('0', { flow_token: 'unused' })],
  },
  {
    name: 'the second of two flows',
    components: [{ type: 'BUTTONS', buttons: [{ type: 'FLOW' }, { type: 'FLOW' }] }],
    variables: {},
    flow: { flow_token: 't-2', button_index: 1 },
    sent: [flowButton('0', { flow_token: 'unused' }), flowButton('1', { flow_token: 't-2' })],
  },
  {
    name: 'a carousel',
    components: [
      { type: 'BODY', text: '{{1}}' },
      {
        type: 'CAROUSEL',
        cards: [0, 1].map(() => ({
          components: [
            { type: 'HEADER', format: 'IMAGE' },
            { type: 'BODY', text: 'Costs {{1}}' },
            { type: 'BUTTONS', buttons: [{ type: 'URL', url: 'https://example.com/{{1}}' }] },
          ],
        })),
      },
    ],
    variables: {
      1: 'Ana',
      card_0_header_image: '11',
      card_0_1: '$1',
      card_0_button_0: 'a',
      card_1_header_image: '22',
      card_1_1: '$2',
      card_1_button_0: 'b',
    },
    sent: [
      { type: 'body', parameters: [text('Ana')] },
      {
        type: 'carousel',
        cards: [
          ['11', '$1', 'a'],
          ['22', '$2', 'b'],
        ].map(([image, price, path], card_index) => ({
          card_index,
          components: [
            { type: 'header', parameters: [{ type: 'image', image: { id: image } }] },
            { type: 'body', parameters: [text(price!)] },
            { type: 'button', sub_type: 'url', index: '0', parameters: [text(path!)] },
          ],
        })),
      },
    ],
  },
]

for (const { name, components, variables, flow, sent } of cases)
  t.test(name, async (t) => {
    t.strictSame(templateVariables(components).toSorted(), Object.keys(variables).toSorted(), 'the variables it needs')
    const message = { type: 'template' as const, name: 'n', language: 'es_MX', variables, flow }
    const { template } = buildMessage(message, { to: '1', components })
    t.strictSame(template, { name: 'n', language: { code: 'es_MX' }, components: sent })
  })

t.test('odd templates and variables', async (t) => {
  const odd = [
    {},
    { type: 7 },
    { type: 'BODY' },
    { type: 'BUTTONS', buttons: 'x' },
    { type: 'CAROUSEL', cards: [null, {}] },
  ]
  t.strictSame(templateVariables(odd), [])
  const message = { type: 'template' as const, name: 'n', language: 'en', variables: { constructor: 'x' } }
  const { template } = buildMessage(message, { to: '1', components: [{ type: 'BODY', text: '{{1}} {{toString}}' }] })
  t.match(template, { components: [{ parameters: [text(''), named('toString', '')] }] }, 'nothing is inherited')
  t.match(buildMessage(message, { to: '1' }).template, { components: [] })
})

t.test('a list that is about to be refused costs as much as it is long', async (t) => {
  const names = Array.from({ length: 100 }, (_, n) => `{{${n + 1}}}`).join(' ')
  const bodies = [{ type: 'BODY', text: names }, ...Array.from({ length: 100 }, () => ({ type: 'BODY' }))]
  const { components, missing } = withExamples(bodies, {})
  t.equal(missing.length, 100)
  t.equal(JSON.stringify(components).match(/""/g)?.length, 100, 'an example of each placeholder that is there')
  t.equal(templateVariables(bodies).length, 100)
})
