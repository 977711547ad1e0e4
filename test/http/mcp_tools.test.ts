/** The tools that the operations become, without a node. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { canonical, confirmationState, confirmed } from '../../http/mcp/confirmation.ts'
import { question } from '../../http/mcp/question.ts'
import { API_SEARCH, apiCall } from '../../http/mcp/tools/api_tools.ts'
import { behaviourOf, classified } from '../../http/mcp/tools/behaviour.ts'
import { ALIASES, annotationsOf, catalogueOf } from '../../http/mcp/tools/catalogue.ts'
import { requestOf, type WrongArgument } from '../../http/mcp/tools/operation_call.ts'
import { DEFAULT_TOOLS, select, selectionOf } from '../../http/mcp/tools/selection.ts'
import type { Trace } from '../../http/mcp/trace.ts'
import { allRoutes } from '../support/hostile/routes.ts'
import { root } from '../support/root.ts'

const NO_TRACE = { request_id: 'r' } as Trace
const routes = allRoutes()
const catalogue = catalogueOf(routes)
const everything = new Set(catalogue.tools.flatMap(({ scope }) => scope ?? []))

/**
 * More tokens than a text has. Words count one for each seven letters, digits one for three, signs one for three. For
 * the default list that is 20 % more than the tokenizer o200k_base counts, and 25 % more than cl100k_base.
 */
function maxTokens(text: string): number {
  let count = 0
  for (const [part] of text.matchAll(/[a-z]+|\d{1,3}|[^a-z\d\s]{1,3}|\s+/gi)) {
    count += /^[a-z]/i.test(part) ? Math.ceil(part.length / 7) : part === ' ' ? 0 : 1
  }
  return count
}

t.test('the default list has at most 25 tools and 8,000 tokens', async (t) => {
  const listed = [
    ...select(catalogue, selectionOf({}), everything).map(({ listed }) => listed),
    API_SEARCH,
    apiCall(false),
  ]
  const tokens = maxTokens(JSON.stringify(listed))
  t.comment(`${listed.length} tools, at most ${tokens} tokens`)
  t.equal(listed.length, DEFAULT_TOOLS.length + 2)
  t.ok(listed.length <= 25)
  t.ok(tokens <= 8000, `${tokens} tokens`)
})

t.test('every tool has what a client needs to know', async (t) => {
  for (const { listed, route } of catalogue.tools) {
    t.match(listed, { name: /^[a-z_]{1,64}$/, description: /./, inputSchema: { type: 'object' } }, route.operation)
    t.equal(listed.outputSchema?.type ?? 'object', 'object', `${route.operation} answers an object`)
    t.type(listed.annotations.readOnlyHint, 'boolean')
  }
})

t.test('each operation that writes is classified, and none beside them', async (t) => {
  const writes = catalogue.tools.filter(({ behaviour }) => !behaviour.reads_only)
  t.strictSame([...classified].sort(), writes.map(({ name }) => name).sort())
  for (const { name, route, behaviour } of writes) {
    if (route.method === 'DELETE') t.ok(behaviour.needs_consent, `${name} asks first`)
  }
  const page = readFileSync(join(root, 'docs/mcp.md'), 'utf8')
  for (const { name, route } of writes.filter(({ behaviour }) => behaviour.needs_consent)) {
    if (route.method !== 'DELETE') t.match(page, `\`${name}\``, `${name} is in the document`)
  }
  const unknown = behaviourOf({ operation: 'new', method: 'POST' })
  t.match(annotationsOf(unknown), { readOnlyHint: false, destructiveHint: true })
})

t.test('the fields of a body stand beside the parameters, also of a body with a key of its own', async (t) => {
  for (const { name, places, listed } of catalogue.tools) {
    t.notMatch(places.body, 'whole', `${name} has no argument that stands for a whole body`)
    t.notOk('body' in listed.inputSchema.properties, name)
  }
  const tool = catalogue.find('record_event')!
  const sent = { event_type: 'custom.order_shipped', data: {}, phone: '5215512345678', idempotency_key: 'A-1' }
  t.match(tool.listed.inputSchema, { properties: { idempotency_key: {} }, required: ['event_type', 'data'] })
  const { body, headers } = requestOf(tool, sent, NO_TRACE)
  t.same(JSON.parse(Buffer.from(body!).toString()), sent, 'the key is a field of the body')
  t.notOk('idempotency-key' in headers!, 'one argument is one key')
})

t.test('an argument that an operation does not know is answered with all that it knows', async (t) => {
  const refused = (operation: string, sent: Record<string, unknown>) => {
    try {
      return requestOf(catalogue.find(operation)!, sent, NO_TRACE)
    } catch (error) {
      return (error as WrongArgument).violation
    }
  }
  const unknown = (names: string) => ({
    path: 'zzz',
    message: `is not known here; the parameters are ${names}`,
    code: 'unknown_property',
  })
  t.same(refused('get_contact', { id: '1', zzz: 1 }), unknown('id'))
  t.same(refused('get_contact', { id: '1', zzz: { nested: true } }), unknown('id'), 'whatever its value')
  t.match(refused('list_webhook_deliveries', { id: '1', zzz: 1 }), { message: /the parameters are id, .*event_type/ })
  t.match(refused('get_me', { zzz: 1 }), { message: 'is not known here; there are no parameters' })
})

t.test('the order is that of the default list, then of the API', async (t) => {
  const names = (headers: Record<string, string>) =>
    select(catalogue, selectionOf(headers), everything).map(({ name }) => name)
  t.strictSame(names({}), [...DEFAULT_TOOLS])
  t.strictSame(names({ 'x-mcp-toolsets': 'webhooks, default' }), names({ 'x-mcp-toolsets': 'Default,Webhooks' }))
  t.strictSame(names({ 'x-mcp-tools': 'get_me,search_crm' }), ['search_crm', 'get_me'])
  const all = names({ 'x-mcp-toolsets': 'all' })
  t.strictSame(selectionOf({ 'x-mcp-toolsets': 'all,ALL, all' }).toolsets, ['all'], 'a repeated name costs nothing')
  t.equal(all.length, catalogue.tools.length)
  t.strictSame(all.slice(0, DEFAULT_TOOLS.length), [...DEFAULT_TOOLS])
})

t.test('former names stay', async (t) => {
  const renamed = catalogueOf(routes, { post_message: 'send_message' })
  t.equal(renamed.find('post_message')?.name, 'send_message')
  t.notOk(
    renamed.tools.some(({ name }) => name === 'post_message'),
    'and are not listed',
  )
  t.throws(() => catalogueOf(routes, { post_message: 'nothing' }))
  t.throws(() => catalogueOf(routes, { send_message: 'get_me' }))
  for (const former in ALIASES) t.ok(catalogue.find(former))
})

t.test('a question shows every argument, and no character that is not seen', async (t) => {
  const tool = catalogue.find('send_bulk')!
  const recipients = Array.from({ length: 400 }, (_, n) => ({ phone: `+1555${n}` }))
  const asked = question(tool, { template_name: 'goodbye', recipients, campaign_name: 'a\u202eb\u0007' })
  t.match(asked, /^[^.?;]*\? [^?;]*\. This cannot be undone\. send_bulk campaign_name: "a\\u\{202e\}b\\u0007"/)
  t.match(asked, /recipients: \[\{"phone":"\+15550"\}.*… \(400 items\), template_name: "goodbye"$/)
  t.ok(asked.length < 500)
})

t.test('a confirmation holds for one call of one token, and for ten minutes', async (t) => {
  const [key, former, other] = ['a', 'b', 'c'].map((letter) => Buffer.alloc(32, letter)) as [Buffer, Buffer, Buffer]
  const subject = { token_id: 't', operation: 'delete_webhook', text: canonical({ id: 'w', b: { y: 1, x: [2] } }) }
  const now = Date.parse('2026-11-24T00:00:00Z')
  const state = confirmationState([former], 'argument', subject, now)
  const nonce = confirmed([key, former], 'argument', subject, state, now)
  t.match(nonce, /^[\w-]{22}$/, 'also after a change of PARLEY_SECRET')
  const again = { ...subject, text: canonical({ b: { x: [2], y: 1 }, id: 'w' }) }
  t.equal(confirmed([former], 'argument', again, state, now + 599_000), nonce, 'in any order of properties')
  t.equal(confirmed([former], 'argument', subject, state, now + 600_000), undefined, 'too late')
  t.equal(confirmed([other], 'argument', subject, state, now), undefined, 'of another installation')
  t.equal(confirmed([former], 'person', subject, state, now), undefined, 'given to a model')
  for (const change of [{ token_id: 'u' }, { operation: 'delete_flow' }, { text: canonical({ id: 'v' }) }]) {
    t.equal(confirmed([former], 'argument', { ...subject, ...change }, state, now), undefined, JSON.stringify(change))
  }
  const later = state.replace(/^c1\.\d+/, `c1.${now / 1000 + 9999}`)
  t.equal(confirmed([former], 'argument', subject, later, now), undefined, 'with another end')
  t.not(confirmationState([former], 'argument', subject, now), state, 'each has a number of its own')
})
