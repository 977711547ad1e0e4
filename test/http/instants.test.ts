/** Every place where a request names a moment: the accepted forms, and refusals that show the right form. */
import t from 'tap'
import { adminRoutes } from '../../http/admin/mod.ts'
import { apiRoutes } from '../../http/mod.ts'
import { Token } from '../../storage/mod.ts'
import { startOperator } from './operator.ts'
import { startTestServer } from './test_server.ts'

const bad = [
  '2026-02-31T00:00:00Z',
  '2026-11-31T00:00:00.000Z',
  '2027-02-29T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-00-10T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00Z',
  '1969-12-31T23:59:59.999Z',
  '1970-01-01T00:59:59+01:00',
  '9999-12-31T23:00:00-01:00',
  '10000-01-01T00:00:00Z',
  '+010000-01-01T00:00:00Z',
  '2026-11-21T24:00:00Z',
  '2026-11-21T23:60:00Z',
  '2026-11-21T23:59:60Z',
  '2026-11-21T10:00:00',
  '2026-11-21',
  '2026-11-21 10:00:00Z',
  '2026-11-21T10:00:00+01',
  '2026-11-21T10:00:00-23',
  '2026-11-21T10:00:00+0100',
  '2026-11-21T10:00:00+23:59',
  '2026-11-21T10:00:00-14:01',
  '2026-11-21T10:00:00.Z',
  '2026-W47-6',
  '1790000000',
  'yesterday',
  '',
]
/** Accepted forms with their meaning. */
const good: [string, string][] = [
  ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ['2028-02-29T10:00Z', '2028-02-29T10:00:00.000Z'],
  ['2026-11-21T10:00:00.123456789Z', '2026-11-21T10:00:00.123Z'],
  ['2026-11-21T10:00:00+05:30', '2026-11-21T04:30:00.000Z'],
  ['2026-11-21T10:00:00-12:00', '2026-11-21T22:00:00.000Z'],
  ['2026-11-21T10:00:00+14:00', '2026-11-20T20:00:00.000Z'],
]

const WEBHOOK = 'wh_66f2a0c1d4e5f60718293a4b'

t.test('moments of the public API', async (t) => {
  const { call, asked } = await startTestServer(t)
  const deliveries = `/v1/webhooks/${WEBHOOK}/deliveries`
  const recover = `/v1/webhooks/${WEBHOOK}/recover`
  for (const moment of bad) {
    for (const name of ['since', 'until']) {
      const listed = await call(`${deliveries}?${new URLSearchParams({ [name]: moment })}`)
      t.match(refused(listed), { status: 400, error: 'VALIDATION_ERROR', path: name, message: EXPECTED }, moment)
      const json = { since: '2026-01-01T00:00:00Z', [name]: moment }
      const recovered = await call(recover, { method: 'POST', json })
      t.match(refused(recovered), { status: 400, error: 'VALIDATION_ERROR', path: name, message: EXPECTED }, moment)
    }
    const polled = await call(`/v1/webhooks/${WEBHOOK}/poll?${new URLSearchParams({ since: moment })}`)
    t.match(refused(polled), { status: 400, error: 'VALIDATION_ERROR', path: 'since', message: EXPECTED }, moment)
    for (const name of ['since', 'until']) {
      for (const path of ['/v1/messages/costs', '/v1/messages/costs.csv']) {
        const summed = await call(`${path}?${new URLSearchParams({ [name]: moment })}`)
        t.match(refused(summed), { status: 400, error: 'VALIDATION_ERROR', path: name, message: EXPECTED }, moment)
      }
    }
    for (const name of ['since', 'until', 'starts_from', 'starts_before']) {
      const listed = await call(`/v1/scheduling/appointments?${new URLSearchParams({ [name]: moment })}`)
      t.match(refused(listed), { status: 400, error: 'VALIDATION_ERROR', path: name, message: EXPECTED }, moment)
    }
  }
  t.ok(asked.every(({ command }) => command === undefined))
  for (const [moment, meant] of good) {
    for (const name of ['since', 'until']) {
      for (const query of [new URLSearchParams({ [name]: moment }), `${name}=${moment}`]) {
        t.equal((await call(`${deliveries}?${query}`)).status, 404, `there is no such subscription: ${query}`)
      }
    }
    const taken = await call(recover, { method: 'POST', json: { since: '1970-01-01T00:00:00Z', until: moment } })
    t.match(taken, { status: 202, body: { since: '1970-01-01T00:00:00.000Z', until: meant } })
  }
})

t.test('a period begins before it ends', async (t) => {
  const { call } = await startTestServer(t)
  const [earlier, later] = ['2026-11-21T10:00:00+02:00', '2026-11-21T09:00:00Z']
  const order = { status: 400, error: 'VALIDATION_ERROR', path: 'until', message: 'must not be before since' }
  const deliveries = `/v1/webhooks/${WEBHOOK}/deliveries`
  const recover = `/v1/webhooks/${WEBHOOK}/recover`
  const range = (since: string, until: string) => new URLSearchParams({ since, until })
  t.match(refused(await call(`${deliveries}?${range(later, earlier)}`)), order)
  t.equal((await call(`${deliveries}?${range(earlier, later)}`)).status, 404)
  t.match(refused(await call(recover, { method: 'POST', json: { since: later, until: earlier } })), order)
  const both = await call(`${deliveries}?${range(later, earlier)}&limit=x&status=gone`)
  t.equal(both.body.error.details.violations.length, 3, 'said beside what else is wrong')
  const future = await call(recover, { method: 'POST', json: { since: '9000-01-01T00:00:00Z' } })
  t.match(refused(future), { status: 400, path: 'since', message: /future/ })
})

t.test('moments of the operator API', async (t) => {
  const { database, tenant } = await startTestServer(t)
  const { call } = await startOperator(t, database)
  const { project_id, user_id } = await database.em().findOneOrFail(Token, { project_id: tenant.project._id })
  const token = { project_id, user_id, name: 'x', scopes: [] }
  const member = { program_id: project_id, customer_id: project_id }
  const meeting = { project_id, starts_at: '2026-11-21T10:00:00Z', ends_at: '2026-11-21T10:00:01Z' }
  const appointments = '/admin/v1/appointments'
  const reconcile = '/admin/v1/webhooks/reconcile'
  const costs = `/admin/v1/costs?project_id=${tenant.project._id}`
  for (const moment of bad) {
    const paths = [
      ['since', await call('GET', `${reconcile}?${new URLSearchParams({ since: moment })}`)],
      ['until', await call('GET', `${reconcile}?${new URLSearchParams({ until: moment })}`)],
      ['since', await call('GET', `${costs}&${new URLSearchParams({ since: moment })}`)],
      ['until', await call('GET', `${costs}&${new URLSearchParams({ until: moment })}`)],
      ['expires_at', await call('POST', '/admin/v1/tokens', { ...token, expires_at: moment })],
      ['enrolled_at', await call('POST', '/admin/v1/memberships', { ...member, enrolled_at: moment })],
      ['starts_from', await call('GET', `${appointments}?${new URLSearchParams({ starts_from: moment })}`)],
      ['starts_before', await call('GET', `${appointments}?${new URLSearchParams({ starts_before: moment })}`)],
      ['since', await call('GET', `/admin/v1/audit?${new URLSearchParams({ since: moment })}`)],
      ['until', await call('GET', `/admin/v1/audit?${new URLSearchParams({ until: moment })}`)],
      ['unused_since', await call('GET', `/admin/v1/tokens?${new URLSearchParams({ unused_since: moment })}`)],
      ['expires_at', await call('PATCH', `/admin/v1/tokens/${WEBHOOK.slice(3)}`, { expires_at: moment })],
    ] as const
    for (const [path, answer] of paths) t.match(refused(answer), { status: 400, path, message: EXPECTED }, moment)
    for (const path of ['starts_at', 'ends_at']) {
      const answer = await call('POST', appointments, { ...meeting, [path]: moment })
      t.match(refused(answer), { status: 400, path, message: /such as 2026-11-21T10:00$|needs a timezone/ }, moment)
    }
  }
  for (const [moment, meant] of good) {
    t.equal((await call('GET', `${reconcile}?${new URLSearchParams({ until: moment })}`)).status, 200, moment)
    const { status, body } = await call('POST', '/admin/v1/tokens', { ...token, expires_at: moment })
    if (Date.parse(meant) < Date.now()) t.match(refused({ status, body }), { status: 400, message: /in the future/ })
    else t.match({ status, body }, { status: 201, body: { expires_at: meant } })
  }
  const order = `${reconcile}?since=2026-11-21T10:00:00Z&until=2026-11-21T09:00:00Z`
  t.match(refused(await call('GET', order)), { status: 400, path: 'until', message: 'must not be before since' })
})

t.test('the cases cover every place of a moment', async (t) => {
  const { client, flows, templates } = { client: {} as never, flows: {} as never, templates: {} as never }
  const hooks = {
    provider: async () => ({ status: 200, body: '' }),
    allow_url: () => true,
    providers: {} as never,
    tools: {} as never,
    assistants: {} as never,
    media: {} as never,
    polls: {} as never,
  }
  const routes = [
    ...apiRoutes({ ...hooks, whatsapp: { client, flows, templates } }),
    ...adminRoutes({
      invitations: { base_url: '', is_mailed: false },
      default_limits: { minute: 1, hour: 1, day: 1, ingest_minute: 1 },
      providers: {} as never,
      assistants: {} as never,
    }),
  ]
  const places = routes.flatMap(({ operation, query, body }) =>
    [...momentsIn(query), ...momentsIn(body)].map((path) => `${operation}${path}`),
  )
  t.strictSame(places.sort(), [
    'create_loyalty_membership.enrolled_at',
    'create_token.expires_at',
    'download_costs.since',
    'download_costs.until',
    'download_costs_of_companies.since',
    'download_costs_of_companies.until',
    'drop_dead_letters.since',
    'drop_dead_letters.until',
    'get_costs.since',
    'get_costs.until',
    'get_costs_of_companies.since',
    'get_costs_of_companies.until',
    'list_appointment_records.since',
    'list_appointment_records.starts_before',
    'list_appointment_records.starts_from',
    'list_appointment_records.until',
    'list_appointments.since',
    'list_appointments.starts_before',
    'list_appointments.starts_from',
    'list_appointments.until',
    'list_assistant_turns.since',
    'list_assistant_turns.until',
    'list_audit.since',
    'list_audit.until',
    'list_contacts.since',
    'list_contacts.until',
    'list_dead_letters.since',
    'list_dead_letters.until',
    'list_deliveries_of_webhook.since',
    'list_deliveries_of_webhook.until',
    'list_events.since',
    'list_events.until',
    'list_messages.since',
    'list_messages.until',
    'list_notes.since',
    'list_notes.until',
    'list_tickets.since',
    'list_tickets.until',
    'list_tokens.unused_since',
    'list_turns_of_assistant.since',
    'list_turns_of_assistant.until',
    'list_webhook_deliveries.since',
    'list_webhook_deliveries.until',
    'poll_webhook.since',
    'reconcile_webhooks.since',
    'reconcile_webhooks.until',
    'recover_webhook.since',
    'recover_webhook.until',
    'replay_dead_letters.since',
    'replay_dead_letters.until',
    'update_token.expires_at',
  ])
})

/** Returns the paths of the moments in a schema. */
// biome-ignore lint/suspicious/noExplicitAny: schemas of every kind
function momentsIn(schema: any): string[] {
  if (schema === undefined) return []
  const { type, entries = {}, item, wrapped, value, options = [], pipe = [] } = schema
  if (type === 'iso_timestamp') return ['']
  const parts = [item, wrapped, value, ...(typeof options[0] === 'object' ? options : []), ...pipe].filter(
    (part) => part !== schema,
  )
  const inner = Object.entries(entries).flatMap(([name, field]) => momentsIn(field).map((path) => `.${name}${path}`))
  return [...new Set([...inner, ...parts.filter(Boolean).flatMap(momentsIn)])]
}

const EXPECTED = /^must be a time of a day that exists, .* with Z or an offset such as \+01:00: 2026-11-21T10:00:00Z$/

// biome-ignore lint/suspicious/noExplicitAny: answers of every route
function refused({ status, body }: { status: number; body: any }) {
  const { code, details } = body.error
  return { status, error: code, ...details?.violations?.[0] }
}
