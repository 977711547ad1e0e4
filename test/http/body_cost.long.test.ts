/** The cost of every body is at most linear. The test searches the schema of every route for a body that costs more. */
import fc from 'fast-check'
import t from 'tap'
import { BOMBS, countedBytes } from '../support/hostile/bombs.ts'
import { costOf, planFor, usualCost } from '../support/hostile/cost.ts'
import { placesOf } from '../support/hostile/places.ts'
import { jsonRoutes } from '../support/hostile/routes.ts'

const BYTES = 256 * 1024
/**
 * A multiple of the cost of parsing ordinary JSON, which is about 5 ms a MiB: 50 ms, and as much again for a busy
 * machine.
 */
const MAX = 20

/** The parser of URLs takes more than ten seconds for it. */
const LONG_HOST = `https://a${'\u0301\u0323'.repeat(100_000)}.com/`

const RUNS = process.env.PARLEY_TEST_ALL ? 300 : 150

const compiled_routes = jsonRoutes().map(planFor)
const places = compiled_routes.flatMap((compiled_route) =>
  placesOf(compiled_route.body as never).map((place) => ({
    compiled_route,
    place,
    toString: () => `${compiled_route.route.operation}${place.path}`,
  })),
)

t.test(`a body bomb in one of ${places.length} places of ${compiled_routes.length} routes`, async (t) => {
  let usual = usualCost()
  const bomb = fc.record({ at: fc.constantFrom(...places), bomb: fc.constantFrom(...BOMBS) })
  let worst = { times: 0, what: '' }
  fc.assert(
    fc.property(bomb, ({ at: { compiled_route, place }, bomb }) => {
      const bytes = Buffer.from(place.around(bomb.text(BYTES, place.filler)))
      if (bytes.byteLength > compiled_route.body_limit) return
      const counted = countedBytes(bomb, bytes.byteLength)
      const allowed = () => (MAX * usual * counted) / (1024 * 1024)
      // Other work often disturbs one run. A body that costs too much does so in every run.
      let cost = costOf(compiled_route, bytes, 1)
      if (cost > allowed() / 2) cost = Math.min(cost, costOf(compiled_route, bytes, 4))
      if (cost > allowed()) {
        // The machine may be slower now than at the beginning.
        usual = Math.max(usual, usualCost())
        cost = Math.min(cost, costOf(compiled_route, bytes, 9))
      }
      const times = (cost * 1024 * 1024) / counted / usual
      const what = `${compiled_route.route.operation}${place.path}, ${bomb.name}: ${cost.toFixed(1)} ms for ${bytes.byteLength} bytes`
      if (times > worst.times) worst = { times, what }
      if (cost > allowed()) throw new Error(what)
    }),
    { numRuns: RUNS },
  )
  t.comment(`the worst cost ${worst.times.toFixed(1)} times usual JSON: ${worst.what}`)
  t.ok(worst.times < MAX)
})

const numbered = (count: number) => Array.from({ length: count }, (_, n) => `{{${n + 1}}}`).join('')
const template = (components: object[]) =>
  JSON.stringify({ name: 'x', language: 'en', category: 'UTILITY', components })

t.test('bodies that froze a node', async (t) => {
  const usual = usualCost()
  const known: [string, string][] = [
    ['send_message', send({ type: 'carousel', body_text: 'x', cards: Array(87_000).fill({}) })],
    ['send_bulk', bulk({ ...properties(500_000) })],
    ['send_bulk', bulk(properties(100), Array(5000).fill({ phone: '+5215512345678' }))],
    ['create_contact', JSON.stringify({ channel_type: 'web', user_id: 'x', custom_fields: properties(80_000) })],
    ['create_flow', JSON.stringify({ name: 'x', categories: Array(1_000_000).fill('ZZ'), flow_json: {} })],
    [
      'create_contact',
      JSON.stringify({ channel_type: 'web', user_id: 'x', name: `a${'\u0301\u0323'.repeat(60_000)}` }),
    ],
    ['create_contact', JSON.stringify({ channel_type: 'web', user_id: 'x', avatar: LONG_HOST })],
    ['create_webhook', JSON.stringify({ name: 'abc', url: LONG_HOST, events: ['*'] })],
    ['send_message', send({ type: 'image', link: LONG_HOST })],
    ['create_template', template([{ type: 'BODY', text: numbered(8_000) }, ...Array(6_000).fill({ type: 'BODY' })])],
    ['create_template', template(['HEADER', 'BODY'].map((type) => ({ type, text: numbered(13_000) })))],
    ['create_template', template(Array.from({ length: 15_000 }, (_, n) => ({ type: `T${n}` })))],
    ['sign_in', JSON.stringify({ email: 'x', password: 'x', ...properties(700) })],
  ]
  for (const [operation, text] of known) {
    const compiled_route = compiled_routes.find(({ route }) => route.operation === operation)!
    const bytes = Buffer.from(text)
    t.ok(bytes.byteLength <= compiled_route.body_limit, operation)
    const times = (costOf(compiled_route, bytes, 3) * 1024 * 1024) / Math.max(bytes.byteLength, 64 * 1024) / usual
    t.ok(times < MAX, `${operation} of ${bytes.byteLength} bytes: ${times.toFixed(1)} times usual JSON`)
  }
})

t.test('patterns that take long to compile', async (t) => {
  const usual = usualCost()
  for (const operation of ['create_agent_tool', 'update_agent_tool']) {
    const compiled_route = compiled_routes.find(({ route }) => route.operation === operation)!
    for (const bomb of BOMBS.filter(({ is_short }) => is_short)) {
      const bytes = Buffer.from(`{"name":"x","url":"https://example.com/","parameters":${bomb.text(BYTES, '')}}`)
      const counted = countedBytes(bomb, bytes.byteLength)
      const times = (costOf(compiled_route, bytes, 4) * 1024 * 1024) / counted / usual
      t.ok(times < MAX, `${operation}, ${bomb.name}: ${times.toFixed(1)} times usual JSON`)
    }
  }
})

t.test('an answer is never much longer than its request', async (t) => {
  const compiled_route = compiled_routes.find(({ route }) => route.operation === 'send_message')!
  const name = 'n'.repeat(300_000)
  const text = `{"${name}":{"a":"\\u0000","b":"\\u0000"},"channel":1,"message":{"${name}":1}}`
  const { readBody } = await import('../../http/server/input/request_body.ts')
  const read = readBody(compiled_route, Buffer.from(text), { content_type: 'application/json', content_encoding: '' })
  t.ok(JSON.stringify(read).length < 10_000)
})

function send(message: object): string {
  return JSON.stringify({ channel: 'whatsapp', to: '+5215512345678', message })
}

function bulk(also: object, recipients: object[] = []): string {
  return JSON.stringify({ template_name: 'x', language: 'en', recipients, ...also })
}

function properties(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index.toString(36)}`, 0]))
}
