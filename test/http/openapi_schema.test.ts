/** The conversion of valibot's schemas, where `@valibot/to-json-schema` alone would refuse or forget something. */
import t from 'tap'
import * as v from 'valibot'
import {
  across,
  convertSchemas,
  dictionary,
  ignoringCase,
  maxCharacters,
  named,
  type Presence,
  recordId,
} from '../../actors/mod.ts'
import { clientTime, instant } from '../../http/server/schema/instant.ts'
import { faultsOf } from '../support/validators.ts'

const request = (schema: v.GenericSchema) => convertSchemas([schema], 'request').of(schema)
const response = (schema: v.GenericSchema) => convertSchemas([schema], 'response').of(schema)

t.test('checks in code are left out, and the rest of their pipe stays', async (t) => {
  const text = v.pipe(
    v.string(),
    maxCharacters(20),
    v.check(() => true, 'must be so'),
    across(() => {}),
    v.trim(),
  )
  t.strictSame(request(text), { type: 'string', maxLength: 20 })
  const pair = v.pipe(
    v.strictObject({ a: text, b: v.optional(v.number(), 3) }),
    v.forward(
      v.partialCheck([['a'], ['b']], () => true, 'must fit'),
      ['a'],
    ),
    v.transform(({ a }) => a),
  )
  t.strictSame(request(pair), {
    type: 'object',
    properties: { a: { type: 'string', maxLength: 20 }, b: { type: 'number', default: 3 } },
    required: ['a'],
    additionalProperties: false,
  })
  t.strictSame(request(instant), { type: 'string', format: 'date-time' })
  t.strictSame(request(clientTime), { type: 'string' })
})

t.test('rules about the presence of fields are part of the description', async (t) => {
  const [a, b, c] = [v.optional(v.string()), v.optional(v.string()), v.optional(v.string())]
  const ruled = (presence: Presence) =>
    request(
      v.pipe(
        v.object({ a, b, c }),
        across(() => {}, presence),
      ),
    )
  const [has_a, has_b] = ['a', 'b'].map((name) => ({ properties: { [name]: {} }, required: [name] }))
  t.match(ruled({ at_least_one_of: ['a', 'b'] }), { anyOf: [has_a, has_b] })
  t.match(ruled({ exactly_one_of: ['a', 'b'] }), { oneOf: [has_a, has_b] })
  t.match(ruled({ excludes: { a: ['b', 'c'] } }), {
    dependentSchemas: { a: { properties: { b: false, c: false } } },
  })
})

t.test('a body that a rule of presence refuses does not fit the description', async (t) => {
  const faults = (path: string, method: string, body: unknown) =>
    faultsOf('v1', `/paths/${path.replaceAll('/', '~1')}/${method}/requestBody/content/application~1json/schema`, body)
  const id = '66f2a0c1d4e5f60718293a4b'
  const note = { content: 'Called.' }
  const event = { event_type: 'a.b', data: {} }
  const ticket = '/v1/crm/tickets/{id}'
  const sent = (media: object) => ({ channel: 'whatsapp', to: '5215512345678', message: { type: 'image', ...media } })
  const cases: [path: string, method: string, refused: unknown[], accepted: unknown][] = [
    ['/v1/crm/notes', 'post', [{}, note], { ...note, chat_user: id, ticket_id: id }],
    ['/v1/crm/events', 'post', [event, { ...event, ticket_id: id, chat_user_id: id }], { ...event, ticket_id: id }],
    [
      ticket,
      'patch',
      [
        { tag_ids: [], add_tag_ids: [id] },
        { tag_ids: [], remove_tag_ids: [id] },
      ],
      { tag_ids: [] },
    ],
    ['/v1/messages', 'post', [sent({})], sent({ media_id: id })],
  ]
  for (const [path, method, refused, accepted] of cases) {
    t.strictSame(faults(path, method, accepted), [], `${path} ${JSON.stringify(accepted)}`)
    for (const body of refused) t.not(faults(path, method, body).length, 0, `${path} ${JSON.stringify(body)}`)
  }
})

t.test('a response with a transformation is refused: nobody could say what is answered', async (t) => {
  t.throws(() => response(v.pipe(v.string(), v.transform(Number))))
})

t.test('ids are accepted in either case and answered in lower case', async (t) => {
  t.strictSame(request(recordId), { type: 'string', pattern: '^[0-9A-Fa-f]{24}$' })
  t.strictSame(response(recordId), { type: 'string', pattern: '^[0-9a-f]{24}$' })
  t.equal(ignoringCase('^msg_[0-9a-f]{24}$'), '^[Mm][Ss][Gg]_[0-9A-Fa-f]{24}$')
  t.equal(ignoringCase('^(?:a|\\d{4}-b)\\.c\\u0061$'), '^(?:[Aa]|\\d{4}-[Bb])\\.[Cc]\\u0061$')
})

t.test('patterns have no classes of Unicode', async (t) => {
  const text = v.pipe(v.string(), v.regex(/^\P{Cc}*$/u))
  t.strictSame(request(text), { type: 'string', pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$' })
  const both = v.pipe(v.string(), v.regex(/^a/), v.regex(/b$/))
  t.strictSame(request(both), { type: 'string', pattern: '^a', allOf: [{ pattern: 'b$' }] })
})

t.test('the objects of requests are closed, those of responses open', async (t) => {
  const object = v.strictObject({ a: v.optional(v.string()) })
  t.strictSame(request(object), { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false })
  t.strictSame(response(object), { type: 'object', properties: { a: { type: 'string' } } })
  t.strictSame(request(dictionary(v.string(), 5)), {
    type: 'object',
    additionalProperties: { type: 'string' },
    maxProperties: 5,
  })
})

t.test('null is one more type, also of an enumeration', async (t) => {
  t.strictSame(response(v.nullable(v.string())), { type: ['string', 'null'] })
  t.strictSame(response(v.nullable(v.picklist(['a', 'b']))), { type: ['string', 'null'], enum: ['a', 'b', null] })
  const union = v.nullable(v.union([v.string(), v.number()]))
  t.strictSame(response(union), { anyOf: [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, { type: 'null' }] })
})

t.test('named schemas are components, converted once and referred to', async (t) => {
  const tag = named('Tag', v.object({ name: v.string() }))
  const page = v.object({ data: v.array(tag), first: v.nullable(tag) })
  const converted = convertSchemas([tag, page, page], 'response')
  t.strictSame(converted.of(tag), { $ref: '#/components/schemas/Tag' })
  t.strictSame(converted.of(page).properties, {
    data: { type: 'array', items: { $ref: '#/components/schemas/Tag' } },
    first: { anyOf: [{ $ref: '#/components/schemas/Tag' }, { type: 'null' }] },
  })
  t.strictSame(Object.keys(converted.components), ['Tag'])
  t.notOk('title' in converted.components.Tag!)
  const other = named('Tag', v.object({ name: v.number() }))
  t.throws(() => convertSchemas([tag, other], 'response'), { message: 'two schemas have the name Tag' })
})

t.test('a variant keeps its discriminator, and each option has a name', async (t) => {
  const text = v.pipe(
    v.strictObject({ type: v.literal('text'), body: v.string() }),
    across(() => {}),
  )
  const link = v.strictObject({ type: v.literal('cta_url'), url: v.string() })
  const content = named('Content', v.variant('type', [text, link]))
  const { components, of } = convertSchemas([content], 'request')
  t.strictSame(of(content), { $ref: '#/components/schemas/Content' })
  const refs = { text: '#/components/schemas/TextContent', cta_url: '#/components/schemas/CtaUrlContent' }
  t.strictSame(components.Content, {
    oneOf: [{ $ref: refs.text }, { $ref: refs.cta_url }],
    discriminator: { propertyName: 'type', mapping: refs },
  })
  t.strictSame(components.TextContent!.required, ['type', 'body'])
  t.throws(() => convertSchemas([v.variant('type', [text, link])], 'request'), /needs a name/)
})
