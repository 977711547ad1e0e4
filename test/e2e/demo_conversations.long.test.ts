/** `npm run demo:conversations`: people who write on all channels, and answer those who answer them. */
import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { freePort, tempDir } from '../support/mod.ts'
import { startChild } from './child.ts'
import { eventually, type Json, startClient } from './client.ts'
import { trySignIn } from './console_client.ts'
import { processesNaming } from './processes.ts'

const PROGRAM = new URL('../../http/app/demo/conversations/main.ts', import.meta.url)
const data_dir = join(tempDir(t), '.parley')
const limits = { PARLEY_LIMIT_MINUTE: '1000000', PARLEY_LIMIT_HOUR: '1000000', PARLEY_LIMIT_DAY: '1000000' }
const env = { PARLEY_DATA_DIR: data_dir, PARLEY_PORT: String(await freePort()), ...limits }
const http = startClient(t)

/** Ten people are one or more on each channel. */
const start = () => startChild(t, PROGRAM, env, [], ['--people', '10', '--pace', '100'])
const readDemo = (): Json => JSON.parse(readFileSync(join(data_dir, 'demo.json'), 'utf8'))

let child = start()
await child.line(/tomas@demo/)
const demo = readDemo()

async function messages(query: string): Promise<Json[]> {
  const { body } = await http('GET', `${demo.base_url}/v1/messages?limit=100&${query}`, { token: demo.token })
  return body.data
}

/** The e-mail and the password of each agent, as printed. */
const agents = () =>
  [...child.said().matchAll(/^ {2}(\S+@demo\.parley\.example) +(\S+)$/gm)].map(([, email, password]) => ({
    email: email!,
    password: password!,
  }))

t.test('two agents can sign in with what is printed', async (t) => {
  t.equal(agents().length, 2)
  for (const agent of agents()) {
    const session = await trySignIn({ http, base_url: demo.base_url }, agent)
    t.equal(session.status, 201, session.text)
    t.match(session.body, { projects: [{ _id: demo.project_id }] })
  }
  t.equal(statSync(join(data_dir, 'conversations.json')).mode & 0o077, 0)
})

t.test('the agents share texts to insert', async (t) => {
  const path = `canned-responses?project_id=${demo.project_id}`
  const { body } = await http('GET', `${demo.base_url}/admin/v1/${path}`, { token: demo.operator_key })
  t.same(body.data.map(({ shortcut }: Json) => shortcut).sort(), ['hello', 'hola', 'late', 'refund'])
})

t.test('people write on every channel, some of them with files, and remind those who do not answer', async (t) => {
  for (const channel of ['whatsapp', 'instagram', 'messenger', 'telegram', 'tiktok', 'email', 'web'])
    t.ok(
      await eventually(`somebody writes on ${channel}`, async () => (await messages(`channel=${channel}`)).length > 0),
      channel,
    )
  const isFile = ({ type }: Json) => type === 'image' || type === 'document'
  t.ok(await eventually('somebody sends a file', async () => (await messages('status=received')).some(isFile)))
  const nudge = /\?$|waiting/
  const isNudge = ({ message }: Json) => message.body?.length < 25 && nudge.test(message.body)
  t.ok(await eventually('somebody reminds', async () => (await messages('status=received')).some(isNudge)))
})

t.test('a person reads an answer, and answers it', async (t) => {
  for (const channel of ['whatsapp', 'instagram', 'web']) {
    const [last] = await messages(`channel=${channel}&status=received`)
    const answer = { channel, to: last!.from, message: { type: 'text', body: 'I look into it. Which order is it?' } }
    const sent = await http('POST', `${demo.base_url}/v1/messages`, { token: demo.token, json: answer })
    t.equal(sent.status, 202, sent.text)
    await eventually(`the answer on ${channel} is read`, async () => {
      const { body } = await http('GET', `${demo.base_url}/v1/messages/${sent.body.id}`, { token: demo.token })
      return body.status === 'read'
    })
    const isLater = ({ from, created_at }: Json) => from === last!.from && created_at > sent.body.created_at
    t.ok(
      await eventually(`the person on ${channel} answers`, async () =>
        (await messages(`channel=${channel}&status=received`)).some(isLater),
      ),
    )
  }
})

t.test('another start has the same people and agents', async (t) => {
  const before = agents()
  const known = new Set((await messages('channel=whatsapp&status=received')).map(({ from }) => from))
  t.equal(await child.end('SIGTERM'), 0, child.said())
  await eventually('nothing is left', () => process.platform !== 'linux' || processesNaming(data_dir).size === 0)
  const since = new Date().toISOString()
  child = start()
  await child.line(/tomas@demo/)
  t.same(agents(), before)
  t.equal((await trySignIn({ http, base_url: demo.base_url }, before[0]!)).status, 201)
  const isNew = ({ created_at }: Json) => created_at > since
  const [first] = await eventually('somebody writes again', async () => {
    const later = (await messages('channel=whatsapp&status=received')).filter(isNew)
    return later.length > 0 && later
  })
  t.ok(known.has(first!.from), String(first!.from))
})

t.test('options that make no sense are refused', async (t) => {
  for (const options of [['--people', '0'], ['--pace', 'fast'], ['--colour']]) {
    const { status, stderr } = spawnSync(process.execPath, [fileURLToPath(PROGRAM), ...options], { encoding: 'utf8' })
    t.equal(status, 2, options.join(' '))
    t.match(stderr, /^usage: npm run demo:conversations/)
  }
})
