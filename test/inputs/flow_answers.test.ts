/** Answers of people to Flows: the token of the send is found by the context, and agents read the answers. */
import { join } from 'node:path'
import t from 'tap'
import { flowAnswer } from '../../actors/project/messages/flow_answer.ts'
import type { Message } from '../../storage/mod.ts'
import { eventually, type Json } from '../e2e/client.ts'
import { bodyProblems } from '../e2e/event_schemas.ts'
import { joinWorld, made, makeTenant, type Tenant } from '../e2e/fixture.ts'
import { GOOD } from '../e2e/flow_drafts.ts'
import { callAsProvider } from '../e2e/provider_call.ts'

const world = await joinWorld(t)
const page = join(import.meta.dirname, '../../http/console/page/inbox/thread/content/form_answers.ts')
const { answersOf } = await import(page)
const FROM = '15550360001'

const asked = (message: Json): Message => ({ direction: 'outbound', message }) as Message
const FLOW = asked({ type: 'flow', flow_token: 'visit-3' })
const TEMPLATE = asked({ type: 'template', name: 'booking', flow: { flow_token: 'visit-3' } })
const RAW = asked({
  type: 'interactive',
  interactive: { type: 'flow', action: { parameters: { flow_token: 'visit-3' } } },
})
const RAW_TEMPLATE = asked({
  type: 'template',
  template: {
    components: [
      { type: 'body' },
      { type: 'button', parameters: [{ type: 'action', action: { flow_token: 'visit-3' } }] },
    ],
  },
})
const TEXT = asked({ type: 'text', body: 'Hi' })

const ANSWERS: {
  what: string
  reply: Json
  answered?: Message
  is: Json | undefined
  shown?: [string, string][]
  unread?: string
}[] = [
  {
    what: 'the token of the answer',
    reply: { name: 'flow', response_json: '{"day":"Friday","flow_token":"visit-4"}' },
    answered: FLOW,
    is: { flow_token: 'visit-4', response: { day: 'Friday', flow_token: 'visit-4' } },
    shown: [['day', 'Friday']],
  },
  ...[FLOW, TEMPLATE, RAW, RAW_TEMPLATE].map((answered) => ({
    what: `the token of the sent ${answered.message.type} for an answer without one`,
    reply: { name: 'flow', response_json: '{"day":"Friday"}' },
    answered,
    is: { flow_token: 'visit-3', response: { day: 'Friday' } },
    shown: [['day', 'Friday']] as [string, string][],
  })),
  {
    what: 'an empty token',
    reply: { name: 'flow', response_json: '{"flow_token":""}' },
    answered: FLOW,
    is: { flow_token: 'visit-3' },
  },
  {
    what: 'a number as token',
    reply: { name: 'flow', response_json: '{"flow_token":7}' },
    answered: FLOW,
    is: { flow_token: '7' },
  },
  {
    what: 'no token anywhere',
    reply: { name: 'flow', response_json: '{}' },
    answered: TEXT,
    is: { flow_token: null, response: {} },
  },
  {
    what: 'an older name of the answer',
    reply: { name: 'galaxy_message', response_json: '{"a":1}' },
    answered: FLOW,
    is: { flow_token: 'visit-3' },
  },
  { what: 'no name', reply: { response_json: '{"a":1}' }, is: { flow_token: null, response: { a: 1 } } },
  {
    what: 'answers as an object',
    reply: { name: 'flow', response_json: { day: 'Friday' } },
    is: { response: { day: 'Friday' } },
    shown: [['day', 'Friday']],
  },
  {
    what: 'broken answers',
    reply: { name: 'flow', response_json: '{"day":' },
    answered: FLOW,
    is: { flow_token: 'visit-3', response: {}, unreadable: true },
    shown: [],
    unread: '{"day":',
  },
  {
    what: 'a list',
    reply: { name: 'flow', response_json: '["Friday"]' },
    is: { response: {}, unreadable: true },
    shown: [],
    unread: '["Friday"]',
  },
  {
    what: 'no answers',
    reply: { name: 'flow', body: 'Sent' },
    is: { response: {}, unreadable: true },
    shown: [],
    unread: 'Sent',
  },
  {
    what: 'an address, which is no Flow',
    reply: {
      name: 'address_message',
      response_json: '{"saved_address_id":"a1","values":{"city":"Pune","pin":411001}}',
    },
    answered: TEXT,
    is: undefined,
    shown: [
      ['saved_address_id', 'a1'],
      ['values · city', 'Pune'],
      ['values · pin', '411001'],
    ],
  },
  {
    what: 'choices, a yes and nothing',
    reply: { name: 'flow', response_json: '{"days":["Fri","Sat"],"news":true,"note":"","deep":{"a":{"b":1}}}' },
    is: { flow_token: null },
    shown: [
      ['days', 'Fri, Sat'],
      ['news', 'Yes'],
      ['note', '–'],
      ['deep · a', '{"b":1}'],
    ],
  },
]

for (const { what, reply, answered, is, shown, unread } of ANSWERS) {
  t.test(`${what}`, (t) => {
    const found = flowAnswer({ message: { type: 'interactive', nfm_reply: reply } }, answered)
    if (is) t.match(found, is)
    else t.equal(found, undefined)
    t.equal(found?.unreadable, is?.unreadable)
    if (shown) t.same(answersOf(reply), { answers: shown, ...(unread !== undefined && { unread }) })
    t.end()
  })
}

/** The person answers a message of ours. Resolves to the event and the entry on the ticket. */
async function answers(tenant: Tenant, path: string, context: string, response_json: string): Promise<Json[]> {
  const nfm_reply = { name: 'flow', body: 'Sent', response_json }
  const message = {
    from: FROM,
    type: 'interactive',
    interactive: { type: 'nfm_reply', nfm_reply },
    context: { id: context },
  }
  const before = world.sink.calls(path).length
  await callAsProvider(world, tenant.number, { messages: [message] })
  const told = await eventually(
    'the event',
    () => world.sink.calls(path).length > before && world.sink.calls(path).at(-1)!.body,
  )
  t.same(bodyProblems(told), [])
  const { data } = await made(tenant.api('GET', 'crm/events?event_type=flow.response_received'))
  return [told.data, data[0].data]
}

t.test('an answer without a token has that of the Flow that it answers', async (t) => {
  const tenant = await makeTenant(world)
  await tenant.subscribe('flow-answers', ['whatsapp.flow.response'])
  await tenant.writes(`+${FROM}`, { type: 'text', text: { body: 'Hi' } })
  const flow = await made(tenant.api('POST', 'flows', { name: 'Visits', categories: ['SURVEY'], flow_json: GOOD }))
  await made(tenant.api('POST', `flows/${flow.id}/publish`))
  const message = { type: 'flow', flow_id: flow.id, flow_token: 'visit-3', flow_cta: 'Book', body_text: 'When?' }
  const { body } = await tenant.send(`+${FROM}`, { message })
  const sent = await tenant.message(body.id, 'sent', 'delivered', 'read')
  for (const told of await answers(tenant, 'flow-answers', sent.provider_message_id, '{"day":"Friday"}')) {
    t.match(told, { flow_token: 'visit-3', response: { day: 'Friday' } })
  }
  for (const told of await answers(tenant, 'flow-answers', sent.provider_message_id, '{"day"')) {
    t.match(told, { flow_token: 'visit-3', response: {}, unreadable: true })
  }
})
