import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { io } from 'socket.io-client'
import t from 'tap'
import { run } from '../cli/command.ts'
import { Shell } from '../docs/shell.ts'
import { freePort, tempDir } from '../support/mod.ts'
import { type Child, startChild } from './child.ts'
import { eventually, type Json, patiently, startClient } from './client.ts'
import { trySignIn } from './console_client.ts'
import { processesNaming } from './processes.ts'

const directory = tempDir(t)
const data_dir = join(directory, '.parley')
const env = { PARLEY_DATA_DIR: data_dir, PARLEY_PORT: String(await freePort()) }
const http = startClient(t)
const shell = new Shell(directory)

const readDemo = (): Json => JSON.parse(readFileSync(join(data_dir, 'demo.json'), 'utf8'))

async function start(): Promise<Child> {
  const child = startChild(t, new URL('../../http/app/serve.ts', import.meta.url), env)
  await child.line(/Ctrl-C stops everything/)
  return child
}

/** Returns the commands in the output, with their continued lines. */
function commandsIn(said: string): string[] {
  return [...said.matchAll(/^ {5}((?:PARLEY_DATA_DIR='.*' npx|curl) (?:.*\\\n)*.*)$/gm)].map(([, command]) => command!)
}

const gone = (what: string) =>
  eventually(
    `nothing is left after ${what}`,
    () => process.platform !== 'linux' || processesNaming(data_dir).size === 0,
  )

let child = await start()
const demo = readDemo()
let message_id = ''

const api = (path: string) => http('GET', `${demo.base_url}/v1/${path}`, { token: demo.token })

t.test('nobody else can read what a start writes', (t) => {
  t.equal(statSync(data_dir).mode & 0o066, 0)
  const names = readdirSync(data_dir)
  t.ok(names.includes('simulator.jsonl'), names.join())
  for (const name of names) t.equal(statSync(join(data_dir, name)).mode & 0o077, 0, name)
  t.end()
})

t.test('the demo has an assistant whose blocks all have content', async (t) => {
  const { data } = (await api('assistants')).body
  t.match(data, [{ name: 'Demi', is_active: true, model: 'simulated' }])
  const [{ _id, blocks }] = data
  for (const block of blocks) t.ok((await api(`blocks/${block._id}/content`)).body.content, block.type)
  const { prompt } = (await api(`assistants/${_id}/prompt`)).body
  t.equal(prompt.match(/^# /gm).length, blocks.length)
})

t.test('the assistant of the demo has a tool that answers', async (t) => {
  const [tool] = (await api('agents/tools')).body.data
  const [{ tools }] = (await api('assistants')).body.data
  t.same(tools, [tool._id])
  const url = `${demo.base_url}/v1/agents/tools/${tool._id}/test`
  const { body } = await http('POST', url, { token: demo.token, json: { arguments: { number: 'A1234' } } })
  t.match(body, { succeeded: true, response: '{"number":"A1234","status":"received"}' })
})

t.test('the test set of the manual passes with the assistant of the demo', async (t) => {
  const page = readFileSync(new URL('../../docs/assistants.md', import.meta.url), 'utf8')
  const file = join(directory, 'demo.yaml')
  writeFileSync(file, /^```yaml\n([^`]*)```$/m.exec(page)![1]!)
  const [{ _id }] = (await api('assistants')).body.data
  const told = await run(['assistants', 'test', _id, file], { PARLEY_DATA_DIR: data_dir })
  t.match(told, { code: 0, out: /^result +passed\npassed +6 of 6 /m }, told.out + told.err)
})

t.test('demo.json holds all values that a script needs, readable by its owner alone', async (t) => {
  t.same(Object.keys(demo), [
    'base_url',
    'token',
    'operator_key',
    'company_id',
    'project_id',
    'channels',
    'simulator_url',
    'console_url',
    'agent',
  ])
  t.equal(demo.base_url, `http://127.0.0.1:${env.PARLEY_PORT}`)
  t.match(demo.channels.whatsapp, {
    id: /^[0-9a-f]{24}$/,
    phone_number_id: /^\d+$/,
    template_name: String,
    template_language: String,
  })
  t.match(demo.agent, { email: /@/, password: /.{8}/ })
  t.equal(demo.console_url, `${demo.base_url}/console`)
  const session = await trySignIn({ http, base_url: demo.base_url }, demo.agent)
  t.equal(session.status, 201, session.text)
  t.match(session.body, { user: { email: demo.agent.email }, projects: [{ _id: demo.project_id }] })
  t.equal(statSync(join(data_dir, 'demo.json')).mode & 0o077, 0)
  const me = await api('me')
  t.equal(me.status, 200)
  t.match(me.body, { company: { id: demo.company_id }, project: { id: demo.project_id } })
  const company = await http('GET', `${demo.base_url}/admin/v1/companies/${demo.company_id}`, {
    token: demo.operator_key,
  })
  t.equal(company.status, 200)
  const { template_name: name, template_language: language } = demo.channels.whatsapp
  const { body } = await api(`messages/templates?name=${name}&language=${language}`)
  const variables = Object.fromEntries(body.data[0].variables.map((one: string) => [one, 'x']))
  const message = { type: 'template', name, language, variables }
  const sent = await http('POST', `${demo.base_url}/v1/messages`, {
    json: { channel: 'whatsapp', to: '+15557500001', message },
    token: demo.token,
  })
  t.equal(sent.status, 202, sent.text)
})

t.test('the printed commands work as printed', async (t) => {
  const [listen, ...others] = commandsIn(child.said())
  t.match(listen, /webhooks listen/)
  t.equal(others.length, 2)
  const listener = shell.start(t, listen!)
  await listener.says(/listening|waiting|http/i)
  for (const command of others) {
    const { code, stdout, stderr } = await shell.run(command)
    t.equal(code, 0, stderr)
    if (!command.startsWith('curl')) continue
    const answer = JSON.parse(stdout)
    t.match(answer, { id: /^msg_/, status: 'queued', warnings: [] })
    message_id = answer.id
  }
  await listener.says(/whatsapp\.message\.received/)
  await listener.says(/whatsapp\.message\.read/)
  const { code } = await listener.stop()
  t.equal(code, 0)
  t.equal((await api('messages?channel=whatsapp&status=received')).body.data.length, 1)
  t.same((await api('webhooks')).body.data, [], 'the listener left no subscription')
})

/** A sender on each channel, and the status that a message reaches there. Not every provider reports delivery. */
const people: Record<string, { from: string; reaches: string }> = {
  whatsapp: { from: '+15557654321', reaches: 'read' },
  instagram: { from: '6543210987654321', reaches: 'read' },
  messenger: { from: '6543210987654322', reaches: 'read' },
  facebook: { from: '6543210987654323', reaches: 'read' },
  telegram: { from: '518273640', reaches: 'sent' },
  tiktok: { from: 'conversation-1', reaches: 'read' },
  email: { from: 'ana@example.com', reaches: 'sent' },
}

const simulate = (...options: string[]) => run(['simulate', 'inbound', ...options], { PARLEY_DATA_DIR: data_dir })

const received = (channel: string, body: string) =>
  eventually(`what was written on ${channel} has arrived`, async () => {
    const { data } = (await api(`messages?channel=${channel}&status=received`)).body
    return data.find(({ message }: Json) => message.body === body)
  })

const send = (channel: string, to: string) =>
  http('POST', `${demo.base_url}/v1/messages`, {
    json: { channel, to, message: { type: 'text', body: 'Hello' } },
    token: demo.token,
  })

t.test('a person writes on every channel and is answered', async (t) => {
  // The test polls often, so it raises the limits of the project.
  const patched = await http('PATCH', `${demo.base_url}/admin/v1/projects/${demo.project_id}`, {
    json: { limits: { minute: 100_000, hour: 100_000, day: 100_000 } },
    token: demo.operator_key,
  })
  t.equal(patched.status, 200, patched.text)
  t.same(Object.keys(demo.channels).sort(), [...Object.keys(people), 'web'].sort())
  for (const [channel, { from, reaches }] of Object.entries(people)) {
    const { code, out, err } = await simulate('--channel', channel, '--from', from, '--text', 'Hi there')
    t.equal(code, 0, `${channel}: ${err}`)
    t.match(out, /Parley took it/)
    const { channel_id } = await received(channel, 'Hi there')
    t.equal(channel_id, demo.channels[channel].id)
    const sent = await send(channel, from)
    t.match(sent, { status: 202, body: { warnings: [] } }, `${channel}: ${sent.text}`)
    await eventually(
      `${channel}: ${reaches}`,
      async () => (await api(`messages/${sent.body.id}`)).body.status === reaches,
    )
  }
  const unknown = await simulate('--channel', 'fax', '--from', '1', '--text', 'Hi')
  t.match(unknown, { code: 1, err: /channel must be one of .*telegram.*whatsapp/ })
})

t.test('a person writes a usual text, to the account that is named, and to a paired phone', async (t) => {
  const { phone_number_id } = demo.channels.whatsapp
  const usual = await simulate('--from', '+15557654322', '--kind', 'text', '--account-id', phone_number_id)
  t.match(usual, { code: 0, out: /wrote “Where is my order\?”.*Parley took it/ })
  const other = await simulate('--channel', 'telegram', '--from', '5182', '--kind', 'text', '--account-id', '404')
  t.match(other, { code: 1, err: /no such bot/ })
  const wrong = await simulate('--channel', 'telegram', '--from', '5182', '--text', 'Hi', '--phone-number-id', '1')
  t.match(wrong, { code: 2, err: /--account-id/ })
  const phone = ['--channel', 'whatsapp_qr', '--from', '+15557654323']
  const first = await simulate(...phone, '--kind', 'voice-note')
  t.match(first, { code: 0, out: /Parley took it/, err: /A simulated phone is connected in the project/ })
  const next = await simulate(...phone, '--text', 'Hi')
  t.match(next, { code: 0, out: /Parley took it/, err: '' })
  t.equal(
    (await send('whatsapp', '+15557654322')).status,
    202,
    'the project of the demo still has one WhatsApp channel',
  )
})

t.test('a visitor of the web chat writes and is answered, by the assistant and by people', async (t) => {
  const { id: channel_id, widget_url } = demo.channels.web
  t.equal((await fetch(widget_url)).status, 200)
  t.match(child.said(), widget_url)
  const refused = await simulate('--channel', 'web', '--from', 'me', '--text', 'Hi')
  t.match(refused, { code: 2, err: widget_url })
  const socket = io(demo.base_url, { path: '/visitor/socket.io', transports: ['websocket'], auth: { channel_id } })
  t.teardown(() => socket.disconnect())
  await new Promise((resolve) => socket.on('welcome', resolve))
  const answered = new Promise<Json>((resolve) =>
    socket.on('message', (message: Json) => message.direction === 'outbound' && resolve(message)),
  )
  await socket.timeout(10_000).emitWithAck('say', { id: 'page-said-1', type: 'text', body: 'Hi there' })
  const { from } = await received('web', 'Hi there')
  t.match(await answered, { message: { type: 'text', body: /Hi there/ } }, "the simulator's model answers")
  // The event of the visitor's own message may come late.
  const heard = new Promise<Json>((resolve) =>
    socket.on('message', (message: Json) => message.message.body === 'Hello' && resolve(message)),
  )
  t.equal((await send('web', from)).status, 202)
  t.match(await heard, { direction: 'outbound', message: { type: 'text', body: 'Hello' } })
  socket.disconnect()
})

t.test('Ctrl-C ends everything, in order', async (t) => {
  if (process.platform === 'linux') t.ok(processesNaming(data_dir).size >= 3, 'servers and simulator run')
  t.equal(await child.end('SIGINT'), 0, child.said())
  await gone('Ctrl-C')
})

t.test('the next start goes on where the last one ended: same tenant, same ports', async (t) => {
  child = await start()
  t.same(readDemo(), demo)
  const { body } = await api(`messages/${message_id}`)
  t.equal(body.status, 'read')
  const { data } = (await http('GET', `${demo.base_url}/admin/v1/companies`, { token: demo.operator_key })).body
  t.equal(data.length, 1)
})

t.test('kill -9 leaves no process, and the next start has everything that was acknowledged', async (t) => {
  const send = () =>
    http('POST', `${demo.base_url}/v1/messages`, {
      json: { channel: 'whatsapp', to: '+15550180000', message: { type: 'text', body: 'The last words' } },
      token: demo.token,
    })
  const acknowledged = (await Promise.all([send(), send(), send()])).map(({ body }) => body.id)
  t.equal(await child.end('SIGKILL'), 'SIGKILL')
  await gone('kill -9')
  child = await start()
  t.same(readDemo(), demo)
  // A busy machine may not have all partitions yet.
  for (const id of acknowledged) t.equal((await patiently(() => api(`messages/${id}`))).status, 200)
  t.equal(await child.end('SIGTERM'), 0)
  await gone('SIGTERM')
})
