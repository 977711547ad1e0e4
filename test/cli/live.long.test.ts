/** The commands that speak to a Parley, with a development start as `npm start` makes it. */

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import t from 'tap'
import { type Parley, startParley } from '../../http/app/parley.ts'
import { readConfig } from '../../http/app/settings/mod.ts'
import { LISTED } from '../../http/cli/completion/listed.ts'
import { silentLog } from '../../runtime/mod.ts'
import { type Answer, eventually, patiently } from '../e2e/client.ts'
import { freePort, tempDir } from '../support/mod.ts'
import { watchNode } from '../support/watched_fetch.ts'
import { run, start, startHere } from './command.ts'

const data_dir = tempDir(t)
const settings = { PARLEY_DATA_DIR: data_dir, PARLEY_PORT: String(await freePort()), PARLEY_LIMIT_MINUTE: '1000' }
const config = readConfig({ ...settings, PARLEY_WEBHOOK_SCHEDULE: '0,0.1,0.1,0.1,0.1', PARLEY_LIMIT_HOUR: '1000' })
let parley: Parley = await startParley(config, { log: silentLog })
t.teardown(() => parley.stop())
watchNode(parley.base_url)

const env = { PARLEY_DATA_DIR: data_dir }
const demo = () => JSON.parse(readFileSync(join(data_dir, 'demo.json'), 'utf8'))
const parley_ = (...args: string[]) => run(args, env)

function api(method: string, path: string, body?: unknown, token = demo().token): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', connection: 'close' }
  const payload = body === undefined ? {} : { body: JSON.stringify(body) }
  return patiently(async () => {
    const response = await fetch(`${demo().base_url}${path}`, { method, headers, ...payload })
    const text = await response.text()
    return { status: response.status, headers: {}, text, body: text ? JSON.parse(text) : undefined }
  })
}

const inbound = (text: string, ...more: string[]) =>
  parley_('simulate', 'inbound', '--from', '+15551234567', '--text', text, ...more)

const subscriptions = async () => (await api('GET', '/v1/webhooks')).body.data

t.test('completion asks for records that exist', async (t) => {
  for (const [list, path] of Object.entries(LISTED)) {
    const key = path.startsWith('/admin/') ? demo().operator_key : demo().token
    const { status, body } = await api('GET', path, undefined, key)
    t.equal(status, 200, path)
    // It prints nothing when the answer takes longer than somebody waits who has pressed a key.
    const { code, out, err } = await eventually(list, async () => {
      const printed = await parley_('complete', list)
      return (printed.out !== '' || printed.code !== 0 || (body.data ?? body.nodes).length === 0) && printed
    })
    const lines = (body.data ?? body.nodes).map((record: Record<string, string>) => record._id ?? record.id)
    t.match({ code, err }, { code: 0, err: '' })
    t.same(
      out
        .split('\n')
        .slice(0, -1)
        .map((line) => line.split('\t')[0]),
      lines,
      list,
    )
  }
  t.match(await parley_('complete', 'projects list'), { out: /^\w{24}\tDemo project\n$/ })
  const nobody = { PARLEY_BASE_URL: 'http://127.0.0.1:1', PARLEY_OPERATOR_KEY: 'x', PARLEY_TOKEN: 'x' }
  t.match(await run(['complete', 'projects list'], nobody), { code: 0, out: '', err: '' })
})

t.test('token create, list and revoke', async (t) => {
  const made = await parley_('token', 'create', '--expires', 'never')
  t.match(made, { code: 0, out: /^svc_pk_\w{38}\n$/, err: /^Shown this once: keep it now\. .* does not expire\.\n$/ })
  const secret = made.out.trim()
  const me = await api('GET', '/v1/me', undefined, secret)
  t.match(me, { status: 200, body: { token: { name: 'Command line', expires_at: null } } })

  const options = ['--name', 'CI', '--scopes', 'messages:read, webhooks:read', '--expires', '90d', '--json']
  const other = JSON.parse((await parley_('token', 'create', ...options)).out)
  t.match(other, { name: 'CI', scopes: ['messages:read', 'webhooks:read'], token: /^svc_pk_/ })
  t.equal(Math.round((Date.parse(other.expires_at) - Date.now()) / 86_400_000), 90)

  t.match(await parley_('token', 'revoke', other._id, '--yes'), { code: 0, out: `Revoked ${other._id}.\n` })
  t.match(await parley_('token', 'revoke', secret, '--yes'), { code: 0, out: `Revoked ${secret.slice(0, 11)}….\n` })
  t.equal((await api('GET', '/v1/me', undefined, secret)).status, 401)

  const list = await parley_('token', 'list')
  t.match(list.out, /^id +name +token +status +expires +used\n/)
  t.match(list.out, new RegExp(`^${other._id} {2}CI +svc_pk_.{4}… +revoked +\\d{4}-\\d\\d-\\d\\d +never$`, 'm'))
  for (const line of list.out.split('\n')) t.ok(line.length <= 80, line)
  const unused = (...options: string[]) => parley_('token', 'list', '--unused-since', ...options)
  t.match(await unused('365d'), { code: 0, out: '', err: 'There are no such tokens.\n' })
  t.match(await unused('yesterday'), { code: 2, err: /--unused-since.*Use 30m, 2h or 3d/s })
  const records = JSON.parse((await parley_('token', 'list', '--json', '--project', demo().project_id)).out)
  t.equal(records.length, 3)
  t.notOk(records.some((record: object) => 'token' in record))
})

t.test('a refusal of the API is shown with its code', async (t) => {
  const [unknown, scope, key, token] = await Promise.all([
    parley_('token', 'revoke', '66f2a0c1d4e5f60718293a4b', '--yes'),
    parley_('token', 'create', '--scopes', 'everything,nothing'),
    run(['token', 'list'], { ...env, PARLEY_OPERATOR_KEY: 'a key that is wrong' }),
    run(['webhooks', 'listen'], { ...env, PARLEY_TOKEN: 'svc_pk_wrong' }),
  ])
  t.match(unknown, { code: 1, out: '', err: /; `parley token list` shows which there are \(NOT_FOUND\)\.\n$/ })
  t.match(scope, {
    code: 1,
    out: '',
    err: /^scopes\.0 must be one of .*; scopes\.1 must be .* \(VALIDATION_ERROR\)\.\n$/,
  })
  t.match(key, {
    code: 1,
    out: '',
    err: /refuses the operator key \(401 Unauthorized\): give the PARLEY_OPERATOR_KEY .*\.\n$/,
  })
  t.match(token, {
    code: 1,
    out: '',
    err: /refuses the token \(401 Unauthorized\): .* give another with --token or PARLEY_TOKEN\.\n$/,
  })
})

t.test('webhooks listen shows events and leaves nothing behind', async (t) => {
  const listener = start(t, ['webhooks', 'listen', '--events', 'whatsapp.message.*'], { env })
  await listener.until(/^Listening on 127\.0\.0\.1:\d+ for 9 event types \(wh_\w{24}\)/, 'err')
  t.match(await inbound('Where is \u001b[31mit?'), {
    code: 0,
    out: /^\+15551234567 wrote “Where is it\?” \(wamid\..*\)\. Parley took it in \d+ ms\.\n$/,
  })
  await listener.until(/^\d\d:\d\d:\d\d whatsapp\.message\.received evt_\w{24} ok #1 \+15551234567 “Where is it\?”$/m)

  // Messages to this number bring no reports except those that the test asks for.
  const send = { channel: 'whatsapp', to: '+15550180010', message: { type: 'text', body: 'Here' } }
  const { id } = (await api('POST', '/v1/messages', send)).body
  await listener.until(new RegExp(`whatsapp\\.message\\.sent evt_\\w+ ok #1 ${id} to \\+15550180010$`, 'm'))
  const status = await parley_('simulate', 'status', '--message', id, '--status', 'failed', '--code', '131049')
  t.match(status, { code: 0, out: `${id} was reported as failed (wamid.` })
  await listener.until(new RegExp(`whatsapp\\.message\\.failed .* ok #1 ${id} to \\+15550180010: 131049 `))
  t.match(await parley_('simulate', 'status', '--message', 'msg_1', '--status', 'read'), {
    code: 1,
    err: /\(NOT_FOUND\)/,
  })

  t.equal((await subscriptions()).length, 1)
  t.match(await listener.end('SIGINT'), { code: 0 })
  t.strictSame(await subscriptions(), [])
})

t.test('webhooks listen --json prints whole deliveries for programs, and --respond refuses deliveries', async (t) => {
  const args = ['webhooks', 'listen', '--json', '--events', 'whatsapp.message.received', '--respond', '503']
  const listener = startHere(t, args, { env })
  await listener.until(/for whatsapp\.message\.received/, 'err')
  await inbound('Hi')
  await listener.until(/\n.*\n/)
  const [first, second] = listener
    .said()
    .out.split('\n', 2)
    .map((line) => JSON.parse(line))
  t.match(first, {
    type: 'whatsapp.message.received',
    attempt: 1,
    signature: 'ok',
    signatures: { svc: 'ok', standard: 'ok' },
    status: 503,
    event: { data: { messages: [{ text: { body: 'Hi' } }] } },
  })
  t.match(second, { attempt: 2, signature: 'ok', id: first.id, delivery_id: first.delivery_id })
  t.match(await listener.end('SIGTERM'), { code: 0 })
})

t.test('webhooks listen --forward passes deliveries on and returns the answer', async (t) => {
  const got: { signature: unknown; body: string }[] = []
  const app = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    got.push({ signature: request.headers['x-svc-signature'], body })
    response.writeHead(got.length === 1 ? 500 : 202, { connection: 'close' }).end()
  })
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve))
  t.teardown(() => app.close())
  const { port } = app.address() as { port: number }
  const url = `http://127.0.0.1:${port}/hooks`
  const listener = startHere(t, ['webhooks', 'listen', '--events', 'whatsapp.message.received', '--forward', url], {
    env,
  })
  await listener.until(/^Signed with whsec_/m, 'err')
  await inbound('Hi')
  await listener.until(/ ok #1 .* → 500\n(.*\n)*.* ok #2 .* → 202\n/)
  t.match(got, [{ signature: /^t=\d+,v1=/ }, { body: /"whatsapp\.message\.received"/ }])
  await listener.end('SIGINT')
})

t.test('webhooks listen shows a forged delivery', async (t) => {
  const port = await freePort()
  const args = ['webhooks', 'listen', '--events', 'whatsapp.message.failed', '--port', String(port)]
  const listener = startHere(t, args, { env })
  await listener.until(/^Listening/, 'err')
  const body = JSON.stringify({ id: 'evt_x', type: 'whatsapp.message.failed', data: { _test: true } })
  const headers = { 'x-svc-signature': `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}`, connection: 'close' }
  await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers })
  await listener.until(
    /evt_x BAD \(X-Svc-Signature does not match; a Standard Webhooks header is missing\) #1 \(test\)/,
  )
  await listener.end('SIGINT')
})

t.test('the error for a token without a scope names the scope', async (t) => {
  const { out } = await parley_('token', 'create', '--scopes', 'messages:read')
  const token = out.trim()
  const [listing, managing] = await Promise.all([
    run(['webhooks', 'listen'], { ...env, PARLEY_TOKEN: token }),
    run(['webhooks', 'listen', '--events', 'whatsapp.message.read'], { ...env, PARLEY_TOKEN: token }),
  ])
  t.match(listing, { code: 1, err: /^The token lacks the scope webhooks:read \(INSUFFICIENT_SCOPE\): .*\n$/ })
  t.match(managing, { code: 1, err: /^The token lacks the scope webhooks:manage \(INSUFFICIENT_SCOPE\): .*\n$/ })
})

t.test('the next listener removes what a killed one left', async (t) => {
  const args = ['webhooks', 'listen', '--events', 'whatsapp.message.read']
  const killed = start(t, args, { env })
  await killed.until(/^Listening/, 'err')
  await killed.end('SIGKILL')
  const [left] = await subscriptions()
  const next = startHere(t, args, { env })
  await next.until(/^Listening/, 'err')
  const now = await subscriptions()
  t.equal(now.length, 1)
  t.not(now[0].id, left.id)
  await next.end('SIGINT')
})

t.test('webhooks listen outlives a restart of the server', async (t) => {
  const listen = (type: string) => startHere(t, ['webhooks', 'listen', '--events', type], { env })
  const [keeps, loses] = [listen('whatsapp.message.received'), listen('whatsapp.*.received')]
  await Promise.all([keeps, loses].map((listener) => listener.until(/^Listening/, 'err')))
  const [, id] = /\((wh_\w+)\)/.exec(loses.said().err) ?? []
  t.equal((await api('DELETE', `/v1/webhooks/${id}`)).status, 204)
  await parley.stop()
  await Promise.all([keeps, loses].map((listener) => listener.until(/not answer any more: waiting for it\.$/m, 'err')))
  parley = await startParley(config, { log: silentLog })
  await keeps.until(/ is back\.$/m, 'err')
  await loses.until(/^Listening.*\n.*waiting for it\.\nListening/, 'err')
  await inbound('Still there?')
  for (const listener of [keeps, loses]) {
    await listener.until(/ ok #1 \+15551234567 “Still there\?”/)
    t.match(await listener.end('SIGINT'), { code: 0 })
  }
  t.strictSame(await subscriptions(), [])
})

t.test('doctor finds a running Parley healthy', async (t) => {
  const [here, other] = await Promise.all([
    run(['doctor', '--json'], { ...env, PARLEY_PORT: settings.PARLEY_PORT }),
    run(['doctor', '--json'], { PARLEY_DATA_DIR: tempDir(t), PARLEY_PORT: String(await freePort()) }),
  ])
  t.equal(here.code, 0, here.out)
  const texts = JSON.parse(here.out).findings.map(({ text }: { text: string }) => text)
  for (const part of ['is ready', 'broker, with JetStream', 'has migrated it', `process ${process.pid}`])
    t.match(texts.join('\n'), part)
  t.equal(other.code, 0, other.out)
})
