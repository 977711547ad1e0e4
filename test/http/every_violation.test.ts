/** One answer names every violation, including a contradiction between several fields. */
import t, { type Test } from 'tap'
import { startOperator } from './operator.ts'
import { type Call, startTestServer } from './test_server.ts'

type Told = { path: string; message: string }

const id = '66f2a0c1d4e5f60718293a4b'
const whatsapp = { channel: 'whatsapp', to: '+5215512345678' }
const row = { id: 'a', title: 'A' }

t.test('a refusal of the public API names every violation', async (t) => {
  const { call } = await startTestServer(t)
  const cases: [string, string, object, [path: string, message: RegExp][]][] = [
    [
      'POST',
      '/v1/crm/notes',
      {},
      [
        ['content', /required/],
        ['', /must have chat_user, ticket_id or both/],
      ],
    ],
    [
      'POST',
      '/v1/crm/events',
      {},
      [
        ['event_type', /required/],
        ['data', /required/],
        ['', /exactly one of .*; none is given/],
      ],
    ],
    [
      'POST',
      '/v1/crm/events',
      { event_type: 1, data: {}, phone: '+52', ticket_id: 7 },
      [
        ['event_type', /string/],
        ['phone', /without \+/],
        ['ticket_id', /string/],
        ['', /ticket_id and phone are given/],
      ],
    ],
    [
      'PATCH',
      `/v1/crm/tickets/${id}`,
      { priority: 1, tag_ids: 'x', add_tag_ids: [] },
      [
        ['priority', /one of/],
        ['tag_ids', /list/],
        ['add_tag_ids', /cannot be sent with tag_ids/],
      ],
    ],
    [
      'POST',
      '/v1/messages/raw',
      { payload: { type: 5 } },
      [
        ['payload.type', /string/],
        ['payload.to', /who gets it/],
      ],
    ],
    [
      'POST',
      '/v1/messages',
      { ...whatsapp, message: { type: 'image', caption: 5 } },
      [
        ['message.caption', /string/],
        ['message', /missing a file/],
      ],
    ],
    [
      'POST',
      '/v1/messages',
      { ...whatsapp, message: { type: 'video', link: 5, media_id: {} } },
      [
        ['message.link', /string/],
        ['message.media_id', /string/],
        ['message', /two files/],
      ],
    ],
    [
      'POST',
      '/v1/messages',
      { ...whatsapp, message: { type: 'buttons', body_text: 'x', buttons: [row, row, { id: 5 }] } },
      [
        ['message.buttons.2.id', /string/],
        ['message.buttons.2.title', /required/],
        ['message.buttons', /same id twice/],
      ],
    ],
    [
      'POST',
      '/v1/messages',
      {
        ...whatsapp,
        message: {
          type: 'list',
          body_text: 'x',
          button_text: 'x',
          sections: [{ rows: [5, ...Array.from({ length: 11 }, () => row)] }, 'section'],
        },
      },
      [
        ['message.sections.0.rows.0', /object/],
        ['message.sections.1', /object/],
        ['message.sections', /at most 10 rows/],
        ['message.sections', /each have a title/],
        ['message.sections', /same id twice/],
      ],
    ],
    [
      'POST',
      '/v1/messages',
      { ...whatsapp, message: { type: 'carousel', body_text: 'x', cards: [5] } },
      [
        ['message.cards.0', /object/],
        ['message.cards', /at least 2/],
      ],
    ],
    [
      'POST',
      '/v1/flows',
      { name: 'x', categories: ['OTHER', 'OTHER', 'NONE'], flow_json: {} },
      [
        ['categories.2', /one of/],
        ['categories', /once/],
      ],
    ],
    [
      'POST',
      '/v1/webhooks',
      { name: 'abc', url: 'https://a.example/', events: ['x', 'x'], headers: { host: 'a', other: 5 } },
      [
        ['events.0', /not an event type/],
        ['events.1', /not an event type/],
        ['events.1', /listed twice/],
        ['headers.other', /string/],
        ['headers.host', /may not be set/],
      ],
    ],
  ]
  for (const [method, path, json, expected] of cases) {
    const { status, body } = await call(path, { method, json } as Call)
    t.equal(status, 400, path)
    told(t, body, expected, `${path} ${JSON.stringify(json).slice(0, 100)}`)
  }
})

t.test('a refusal of the operator API names every violation', async (t) => {
  const { database } = await startTestServer(t)
  const { call } = await startOperator(t, database)
  const stage = { name: 'New', rules: {} }
  const cases: [string, string, object | undefined, [path: string, message: RegExp][]][] = [
    [
      'GET',
      '/admin/v1/customers?search=a&limit=x',
      undefined,
      [
        ['limit', /whole number/],
        ['company_id', /is required with search/],
      ],
    ],
    [
      'POST',
      '/admin/v1/custom-fields',
      { owner: 'ticket', key: 'amount', type: 'number', options: ['a', 'a', 5] },
      [
        ['company_id', /required/],
        ['name', /required/],
        ['options.2', /string/],
        ['options.1', /twice/],
        ['key', /every ticket has/],
        ['options', /type string or string\[\] only/],
      ],
    ],
    [
      'POST',
      '/admin/v1/event-types',
      {
        company_id: id,
        key: 'a.b',
        name: 'x',
        fields: [
          { key: 'a', type: 'string', target: 'ticket.amount' },
          { key: 'a', type: 'x', target: 'ticket.amount' },
        ],
      },
      [
        ['fields.1.type', /one of/],
        ['fields.1.key', /twice/],
        ['fields.1.target', /twice/],
        ['fields.0.type', /must be number/],
      ],
    ],
    [
      'PATCH',
      `/admin/v1/pipelines/${id}`,
      { stages: [{ _id: id }, { _id: id }, { position: 'x' }, 'stage'] },
      [
        ['stages.2.position', /number/],
        ['stages.3', /object/],
        ['stages.2.name', /required of a new stage/],
        ['stages.1._id', /twice/],
      ],
    ],
    [
      'POST',
      '/admin/v1/pipelines',
      {
        project_id: id,
        name: 'x',
        stages: [{ ...stage, rules: { add_tag_ids: [id, id, 5], set_fields: { amount: 'x' } } }],
      },
      [
        ['stages.0.rules.set_fields.amount', /finite number/],
        ['stages.0.rules.add_tag_ids.2', /string/],
        ['stages.0.rules.add_tag_ids.1', /twice/],
      ],
    ],
  ]
  for (const [method, path, json, expected] of cases) {
    const { status, body } = await call(method, path, json)
    t.equal(status, 400, path)
    told(t, body, expected, path)
  }
})

function told(
  t: Test,
  body: { error: { details: { violations: Told[] } } },
  expected: [string, RegExp][],
  what: string,
) {
  const { violations } = body.error.details
  t.equal(violations.length, expected.length, `${what}: ${JSON.stringify(violations)}`)
  for (const [path, message] of expected) {
    const found = violations.some((one) => one.path === path && message.test(one.message))
    t.ok(found, `${what}: ${path} ${message}`)
  }
}
