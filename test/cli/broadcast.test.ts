/**
 * `parley broadcast` with faulty servers and files. One file, because its tests share one server and its
 * answers.
 */
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { tempDir } from '../support/mod.ts'
import { type Finished, run } from './command.ts'

type Body = Record<string, unknown>
/** The answer of a server to the n-th request of a route: status and body, or nothing at all. */
type Answers = Record<string, (n: number, body: Body, request: IncomingMessage) => [number, unknown] | 'cut'>

const ID = 'brd_66f2a0c1d4e5f60718293a4b'
const TIME = '2026-11-21T09:00:00.000Z'
const record = {
  id: ID,
  status: 'completed',
  campaign_name: null,
  template_name: 'order_update',
  language: 'en_US',
  channel_id: '66f2a0c1d4e5f60718293a4c',
  total: 3,
  pending_count: 0,
  sent_count: 3,
  delivered_count: 0,
  read_count: 0,
  failed_count: 0,
  created_at: TIME,
  started_at: TIME,
  completed_at: TIME,
}
const template = (fields: Body = {}) => ({
  name: 'order_update',
  language: 'en_US',
  channel_id: record.channel_id,
  status: 'APPROVED',
  variables: ['1', '2'],
  ...fields,
})
const templates =
  (...data: object[]) =>
  (): [number, unknown] => [200, { data, next_cursor: null }]
const refusal = (code: string, message: string, details?: object) => ({ error: { code, message, details } })
const accepted = { broadcast_id: ID, status: 'queued', total: 3 }

const GOOD = 'phone,1,2\n+15551230001,Ana,A-1\n+15551230002,Bo,A-2\n+15551230003,Cy,A-3\n'
const TEMPLATES = 'GET /v1/messages/templates'
const SEND = 'POST /v1/messages/bulk'
const ONE = `GET /v1/messages/bulk/${ID}`

async function serve(t: Test, answers: Answers) {
  const counts: Record<string, number> = {}
  const bodies: Body[] = []
  const keys: unknown[] = []
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const route = `${request.method} ${request.url!.split('?')[0]}`
    const body = request.method === 'POST' && request.headers['content-type'] ? ((await json(request)) as Body) : {}
    if (route === SEND) {
      bodies.push(body)
      keys.push(request.headers['idempotency-key'])
    }
    counts[route] = (counts[route] ?? 0) + 1
    const answer = answers[route]?.(counts[route], body, request) ?? [404, refusal('NOT_FOUND', `no ${route}`)]
    if (answer === 'cut') return request.socket.destroy()
    response.writeHead(answer[0], { connection: 'close', 'content-type': 'application/json' })
    response.end(JSON.stringify(answer[1]))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const env = {
    PARLEY_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    PARLEY_TOKEN: 'svc_pk_x',
  }
  return {
    bodies,
    keys,
    counts,
    broadcast: (...args: string[]): Promise<Finished> => run(['broadcast', ...args], env),
    send: (csv: string, ...args: string[]): Promise<Finished> => {
      const file = join(tempDir(t), 'people.csv')
      writeFileSync(file, csv)
      return run(['broadcast', 'send', '--csv', file, '--template', 'order_update', ...args], env)
    },
  }
}

t.test('a broadcast whose answer is lost is requested again, as the same one', async (t) => {
  const lost = (n: number): [number, unknown] | 'cut' => {
    if (n === 1) return 'cut'
    if (n === 2) return [503, refusal('SERVICE_UNAVAILABLE', 'not now')]
    return n === 3 ? [409, refusal('IDEMPOTENCY_IN_PROGRESS', 'is running')] : [202, accepted]
  }
  const { send, bodies, keys } = await serve(t, { [TEMPLATES]: templates(template()), [SEND]: lost })
  const { code, out } = await send(GOOD, '--campaign', 'Autumn')
  t.equal(code, 0)
  t.equal(out, `${ID} is queued for 3; \`parley broadcast watch ${ID}\` shows its progress.\n`)
  t.equal(bodies.length, 4)
  t.equal(new Set(keys).size, 1)
  t.match(keys[0], /^[0-9a-f-]{36}$/)
  t.strictSame(bodies[3], {
    template_name: 'order_update',
    language: 'en_US',
    recipients: [
      { phone: '+15551230001', variables: { 1: 'Ana', 2: 'A-1' } },
      { phone: '+15551230002', variables: { 1: 'Bo', 2: 'A-2' } },
      { phone: '+15551230003', variables: { 1: 'Cy', 2: 'A-3' } },
    ],
    campaign_name: 'Autumn',
  })
  await send(GOOD)
  t.not(keys[4], keys[0], 'another run is another broadcast')
})

t.test('faults are told by line, and nothing is sent unless faulty lines may be left out', async (t) => {
  const { send, bodies } = await serve(t, {
    [TEMPLATES]: templates(template()),
    [SEND]: () => [202, { ...accepted, total: 2 }],
  })
  const faulty = 'phone,1,2,city\n+15551230001,"Ana\nMaria",A-1,x\n5551230002,Bo,,x\n+15551230003,Cy,A-3,x\n'
  const [plain, as_json, dry, dry_json, fine] = await Promise.all([
    send(faulty),
    send(faulty, '--json'),
    send(faulty, '--dry-run'),
    send(faulty, '--dry-run', '--json'),
    send(GOOD, '--dry-run'),
  ])
  t.match(plain, { code: 1, out: '' })
  const lines = plain.err.split('\n')
  t.match(lines, [
    /^Not used by the template: city\.$/,
    /^line +column +what is wrong$/,
    /^4 +phone +“5551230002” is no phone number: it must begin with \+ and the country code$/,
    /^4 +2 +is empty$/,
    /^Nothing is sent, as 1 line of the file must be corrected: --skip-faulty leaves them out\.$/,
  ])
  t.match(as_json, { code: 1, err: /^Nothing is sent/ })
  t.match(JSON.parse(as_json.out), {
    ok: false,
    faults: [
      { line: 4, column: 'phone' },
      { line: 4, column: '2' },
    ],
  })
  t.match(dry, { code: 1, out: '', err: /\n1 line must be corrected, 2 are right; nothing is sent\.\n$/ })
  t.match(JSON.parse(dry_json.out), { ok: false, recipients: 2, repeated: 0, ignored_columns: ['city'] })
  t.match(fine, { code: 0, out: '3 recipients, no faults; nothing is sent.\n', err: '' })
  t.equal(bodies.length, 0)

  const hollow = 'phone,1,2\n+15551230001,Ana,A-1\n+15551230002,Bo,\n'
  t.match(await send(hollow, '--dry-run'), {
    code: 0,
    out: '2 recipients, 1 line will fail alone; nothing is sent.\n',
    err: /^3 +2 +is empty$/m,
  })
  t.match(JSON.parse((await send(hollow, '--dry-run', '--json')).out), { ok: true, empty: [{ line: 3, column: '2' }] })

  const skipped = await send(faulty, '--skip-faulty')
  t.match(skipped, { code: 0, out: new RegExp(`^${ID} is queued for 2;`), err: /^1 line left out\.$/m })
  t.match(bodies, [
    { recipients: [{ phone: '+15551230001', variables: { 1: 'Ana\nMaria' } }, { phone: '+15551230003' }] },
  ])
})

t.test('a recipient with an empty variable is sent and fails alone, or is left out', async (t) => {
  const { send, bodies } = await serve(t, {
    [TEMPLATES]: templates(template()),
    [SEND]: () => [202, { ...accepted, total: 2 }],
  })
  const hollow = 'phone,1,2\n+15551230001,Ana,A-1\n+15551230002,Bo,\n'
  const [along, left_out] = [await send(hollow), await send(hollow, '--skip-faulty')]
  t.match(along, { code: 0, err: /^3 +2 +is empty\n1 line will fail alone; --skip-faulty leaves them out\.$/m })
  t.match(left_out, { code: 0, err: /^3 +2 +is empty\n1 line left out\.$/m })
  const good = { phone: '+15551230001', variables: { 1: 'Ana', 2: 'A-1' } }
  t.strictSame(
    bodies.map(({ recipients }) => recipients),
    [[good, { phone: '+15551230002', variables: { 1: 'Bo', 2: '' } }], [good]],
  )
})

t.test("the server's violations are told by the lines of the file", async (t) => {
  const violations = [
    { path: 'recipients.0.phone', message: 'must be a mobile number', code: 'check' },
    { path: 'recipients.2.variables.1', message: 'is too long', code: 'max_length' },
  ]
  const other = [{ path: 'campaign_name', message: 'is too long', code: 'max_length' }]
  const no = (n: number): [number, unknown] => {
    const details = { violations: n === 1 ? violations : other }
    return [400, refusal('VALIDATION_ERROR', 'campaign_name is too long', details)]
  }
  const { send } = await serve(t, { [TEMPLATES]: templates(template()), [SEND]: no })
  const { code, err } = await send(`\n${GOOD}`)
  t.equal(code, 1)
  t.match(err, /^3 +phone +must be a mobile number$/m)
  t.match(err, /^5 +1 +is too long$/m)
  t.match(err, /^Nothing is sent, as 2 lines of the file must be corrected: the server refuses them\.$/m)
  t.match(await send(GOOD), { code: 1, err: /^campaign_name is too long \(VALIDATION_ERROR\)\.\n$/ })
})

t.test('a file that cannot be sent is refused with a remedy', async (t) => {
  const { send, broadcast, bodies } = await serve(t, { [TEMPLATES]: templates(template()) })
  const many = Array.from({ length: 5001 }, (_, n) => `+1555${1230000 + n},a,b\n`).join('')
  const cases: [string, RegExp][] = [
    ['', /^The file is empty: /],
    ['phone,1,2\n', /^The file has no line after the first\.\n$/],
    ['phone,1\n+15551230001,a\n', /^The template needs the variable “2”: /],
    [`phone,1,2\n${many}`, /^There are 5001 recipients; one broadcast has at most 5000: split the file\.\n$/],
    ['phone,1,2\n+15551230001,"a,b\n', /^Line 2: a quote \("\) is opened and never closed\.\n$/],
  ]
  for (const [csv, err] of cases) t.match(await send(csv), { code: 1, out: '', err }, csv.slice(0, 30))
  t.match(await send('phone,1,2\n1,a,b\n', '--skip-faulty'), { code: 1, err: /^No line of the file is right: / })
  const gone = await broadcast('send', '--csv', '/no/such.csv', '--template', 'x')
  t.match(gone, { code: 1, out: '', err: 'There is no file /no/such.csv: correct the name, or make it first.\n' })
  t.equal(bodies.length, 0)
})

t.test('the only language of a template is used; with several the command asks for one', async (t) => {
  const spanish = template({ language: 'es' })
  const cases: [string, object[], string[], object][] = [
    ['none', [], [], { code: 1, err: 'There is no template “order_update”.\n' }],
    [
      'two languages',
      [template(), spanish],
      [],
      { code: 2, err: /is there in en_US, es: choose with --language\.\n$/ },
    ],
    ['one of two', [template(), spanish], ['--language', 'es', '--dry-run'], { code: 0, err: '' }],
    ['another', [spanish], ['--language', 'fr'], { code: 1, err: /is not there in fr, only in es\.\n$/ }],
    [
      'two channels that differ',
      [template(), template({ channel_id: 'other', variables: [] })],
      [],
      { code: 2, err: /is not the same on the channels .*, other: choose with --channel\.\n$/ },
    ],
    ['two channels alike', [template(), template({ channel_id: 'other' })], ['--dry-run'], { code: 0 }],
    [
      'paused',
      [template({ status: 'PAUSED' })],
      ['--dry-run'],
      { code: 0, err: /^The template “order_update” is PAUSED, not APPROVED: / },
    ],
  ]
  for (const [name, known, args, end] of cases) {
    const { send } = await serve(t, { [TEMPLATES]: templates(...known) })
    t.match(await send(GOOD, ...args), end, name)
  }
})

t.test('a token that may not see templates can send, and cannot try', async (t) => {
  const message = 'The token lacks the scope messages:read'
  const { send, bodies } = await serve(t, {
    [TEMPLATES]: () => [403, refusal('INSUFFICIENT_SCOPE', message)],
    [SEND]: () => [202, accepted],
  })
  t.match(await send(GOOD, '--dry-run'), { code: 1, err: /INSUFFICIENT_SCOPE\)\. A dry run needs the templates\.\n$/ })
  t.match(await send(GOOD), { code: 1, err: /To find out its language needs the templates\.\n$/ })
  t.match(await send(GOOD, '--language', 'es'), { code: 0, err: /^The token may not see templates .*\n$/ })
  t.match(bodies, [{ language: 'es', recipients: [{ variables: { 1: 'Ana', 2: 'A-1' } }, {}, {}] }])
})

t.test('watching shows the progress, the failures by line, and the end', async (t) => {
  const failed = [
    {
      ...{ index: 0, phone: '+15551230001', chat_user_name: 'Ana\u001b[2J', status: 'failed' },
      error: { code: 131026, message: 'Undeliverable\u001b[2J' },
    },
    { index: 2, phone: '+15551230003', status: 'failed', error: { code: 131026, message: 'Undeliverable\u001b[2J' } },
  ]
  const steps = [
    { ...record, status: 'queued', pending_count: 3, sent_count: 0, started_at: null, completed_at: null },
    { ...record, status: 'sending', pending_count: 1, sent_count: 1, failed_count: 1, completed_at: null },
    { ...record, sent_count: 1, failed_count: 2 },
  ]
  const answers: Answers = {
    [TEMPLATES]: templates(template()),
    [SEND]: () => [202, accepted],
    [ONE]: (n) => (n === 2 ? 'cut' : [200, steps[Math.min(n - 1, 2)]]),
    [`${ONE}/recipients`]: (_, __, request) => {
      t.match(request.url, /\?status=failed&limit=200$/)
      return [200, { data: failed, next_cursor: null }]
    },
  }
  const first = await serve(t, answers)
  const sent = await first.send(GOOD, '--watch')
  t.match(sent, { code: 0 })
  t.match(sent.out, new RegExp(`^${ID} is completed: 1 sent, 2 failed, of 3\\.$`, 'm'))
  t.match(sent.err, new RegExp(`^${ID} is queued for 3\\. Ctrl-C does not end it\\.\n░{24} 0 of 3 \\(0 %\\)\n`))
  t.match(sent.out, /^failed +code +why +lines\n2 +131026 +Undeliverable +2, 4$/m)

  const { broadcast } = await serve(t, answers)
  const watched = await broadcast('watch', ID)
  t.match(watched.out, /^2 +131026 +Undeliverable +Ana \+15551230001, \+15551230003$/m)
  t.match(JSON.parse((await broadcast('watch', ID, '--json')).out), { id: ID, failed_count: 2 })

  for (const status of ['failed', 'cancelled']) {
    const { broadcast } = await serve(t, { [ONE]: () => [200, { ...record, status, sent_count: 3 }] })
    t.match(await broadcast('watch', ID), {
      code: 1,
      out: '',
      err: new RegExp(`${ID} is ${status}: 3 sent, of 3\\.\n$`),
    })
  }
  t.match(await broadcast('watch', 'brd_0'), { code: 1, out: '', err: /\(NOT_FOUND\)\.\n$/ })
})
