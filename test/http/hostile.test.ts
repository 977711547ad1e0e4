import fc from 'fast-check'
import t from 'tap'
import { agentRoutes } from '../../http/console/api.ts'
import { apiRoutes } from '../../http/mod.ts'
import { reportKeys } from '../../http/routes/tokens/leak_report.ts'
import { silentLog } from '../../runtime/mod.ts'
import { leakReporter } from '../support/mod.ts'
import { signedIn } from './agent.ts'
import { startTestServer } from './test_server.ts'

/** Values close to the existing fields, so that the checks behind the first one are reached too. */
const names = [
  'channel',
  'to',
  'message',
  'type',
  'body',
  'name',
  'url',
  'events',
  'headers',
  'is_active',
  'event_type',
  '__proto__',
  'toString',
  'limit',
  'cursor',
  'status',
]
const texts = [
  'whatsapp',
  'text',
  'template',
  'https://example.com',
  'whatsapp.message.received',
  '+5215512345678',
  '50',
  '',
  '\u0000',
  '\ud800',
]
/** The body of every 401. */
const text = fc.oneof(fc.constantFrom(...texts), fc.string({ unit: 'binary' }))
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...names), text), tie('value'), { maxKeys: 6 }),
  ),
}))

/** No models are offered, so nothing is asked of one. */
const assistants = { models: [], services: { models: { names: [] } } } as never

t.test('no request of a client causes a fault of ours', async (t) => {
  const reporter = leakReporter('one')
  const leaks = { keys: reportKeys({ one: reporter.listed.key }), log: silentLog }
  const server = await startTestServer(t, { routes: (api) => agentRoutes(api, assistants), hooks: { leaks } })
  const { call, tenant } = server
  const api = apiRoutes({
    provider: async () => ({ status: 200, body: '' }),
    allow_url: () => false,
    whatsapp: {} as never,
    providers: {} as never,
    tools: {} as never,
    assistants: {} as never,
    media: {} as never,
    polls: { poll: async () => '{}' },
  })
  const routes = [...api, ...agentRoutes(api, assistants)]
  const console_headers = { cookie: await signedIn(server), 'sec-fetch-site': 'same-origin' }
  const request = fc.record({
    route: fc.constantFrom(...routes.filter(({ path }) => path !== '/v1/webhooks/event-types')),
    param: fc.oneof(
      fc.constantFrom('msg_66f2a0c1d4e5f60718293a4b', 'wh_66f2a0c1d4e5f60718293a4b', '%', '%00', '..'),
      text,
    ),
    query: fc.dictionary(fc.oneof(fc.constantFrom(...names), text), text, { maxKeys: 3 }),
    json: value,
    key: fc.option(fc.string(), { nil: undefined }),
  })
  await fc.assert(
    fc.asyncProperty(request, async ({ route, param, query, json, key }) => {
      const path = route.path
        .replace(':project_id', tenant.project._id)
        .replace(/:\w+/, encodeURIComponent(param.toWellFormed()))
      const search = new URLSearchParams()
      for (const [name, text] of Object.entries(query)) search.append(name.toWellFormed(), text.toWellFormed())
      const headers: Record<string, string> = route.auth === 'agent' ? { ...console_headers } : {}
      if (route.operation === 'report_leaked_tokens')
        Object.assign(headers, reporter.report(JSON.stringify(json)).headers)
      if (key !== undefined && /^[\x20-\x7e]*$/.test(key)) headers['idempotency-key'] = key
      const answer = await call(`${path}?${search}`, {
        method: route.method,
        json: route.method === 'GET' ? undefined : json,
        headers,
      })
      if (answer.status >= 500) throw new Error(`${answer.status} ${answer.text}`)
      if (answer.status >= 400 && typeof answer.body?.error?.code !== 'string')
        throw new Error(`no code: ${answer.text}`)
      if (answer.status === 400) {
        for (const { path, message, code } of answer.body.error.details.violations) {
          if (typeof path !== 'string' || !message || !/^[a-z_]+$/.test(code)) throw new Error(answer.text)
        }
      }
    }),
    { numRuns: 400 },
  )
  t.equal((await call('/v1/me')).status, 200)
})
