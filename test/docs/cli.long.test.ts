/**
 * The examples of docs/cli.md, and of the console's empty page, are run as printed against a development start. Ids,
 * dates and addresses of the examples stand for those of the start. One file, because most of it makes the records that the
 * examples name.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readDemo } from '../../http/app/demo/demo_file.ts'
import { startParley } from '../../http/app/parley.ts'
import { readConfig } from '../../http/app/settings/mod.ts'
import { silentLog } from '../../runtime/mod.ts'
import { postgresUrl } from '../../runtime/servers/postgres.ts'
import { openDatabase } from '../../storage/mod.ts'
import { run } from '../cli/command.ts'
import { eventually, type Json } from '../e2e/client.ts'
import { startSink } from '../e2e/sink.ts'
import { startToolServer } from '../e2e/tool_server.ts'
import { freePort, tempDir } from '../support/mod.ts'
import { root } from '../support/root.ts'
import { watchNode } from '../support/watched_fetch.ts'
import { blocksOf } from './markdown.ts'
import { ArgumentReader, Shell } from './shell.ts'

/**
 * These commands run until they are stopped, or need more than one development start: several nodes, a database, a
 * mail, an account at Meta.
 */
const ELSEWHERE = /^(parley (serve|init|migrate|restore|cluster drain|webhooks (listen|poll)|email deliver))$/

const HOUR_MS = 3_600_000
const directory = tempDir(t)
const data_dir = join(directory, '.parley')
const PARLEY_PORT = String(await freePort())
const parley = await startParley(readConfig({ PARLEY_DATA_DIR: data_dir, PARLEY_PORT }), { log: silentLog })
t.teardown(() => parley.stop())
watchNode(parley.base_url)
const { base_url, token, operator_key, project_id, company_id, channels } = readDemo(data_dir)!
const shell = new Shell(directory)
const before = process.cwd()
process.chdir(directory)
t.teardown(() => process.chdir(before))
const has_jq = (await shell.run('jq --version')).code === 0

async function ask(method: string, path: string, body?: object): Promise<Json> {
  const key = path.startsWith('/admin') ? operator_key : token
  const response = await fetch(`${base_url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${text}`)
  return text ? JSON.parse(text) : {}
}

const sink = await startSink(t)
sink.answer('hooks', () => 204)
const tool_server = await startToolServer(t)
const subscription = { name: 'Hooks', url: sink.url('hooks'), events: ['whatsapp.message.read'] }
const { id: webhook_id } = await ask('POST', '/v1/webhooks', subscription)
const text = { channel: 'whatsapp', to: '+15550180000', message: { type: 'text', body: 'Hello' } }
const { id: message_id } = await ask('POST', '/v1/messages', text)
const { id: delivery_id, event_id } = await eventually('it was delivered', async () => {
  return (await ask('GET', `/v1/webhooks/${webhook_id}/deliveries?status=success`)).data[0]
})

/** The user of the demo: examples make others. */
const [holder] = (await ask('GET', `/admin/v1/users?company_id=${company_id}`)).data
let made = 0

const RATES = { valid_from: '2026-01-01', currency: 'USD', markets: [{ market: 'Other', marketing: 0.06 }] }
writeFileSync(join(directory, 'rates-usd.csv'), 'Market,Currency,Marketing\nMexico,$US,0.0305\nOther,$US,0.06\n')

writeFileSync(join(directory, 'steps.txt'), '1. Ask for the order number\n')

/** An assistant with a test set. */
async function testSet(): Promise<[assistant: string, test_set: string]> {
  const _id = await record('assistants', { project_id })
  const cases = [{ name: 'Greeting', steps: [{ user: 'Hello' }] }]
  const { test_set } = await ask('POST', `/v1/assistants/${_id}/test-sets`, { name: 'Delivery', cases })
  return [_id, test_set._id]
}

async function heldBlock(): Promise<string> {
  const _id = await record('blocks', { project_id, type: 'steps' })
  await ask('PUT', `/admin/v1/blocks/${_id}/content`, { content: 'Later', hold: true })
  return _id
}

/** Makes the records that examples need. Each example gets its own, because some change or delete them. */
const fresh: Record<string, () => Promise<string | string[]>> = {
  'parley token revoke': async () => {
    const fields = { project_id, user_id: holder._id, name: 'Short', scopes: ['messages:read'] }
    const { _id, token } = await ask('POST', '/admin/v1/tokens', fields)
    writeFileSync(join(directory, 'token'), token)
    return _id
  },
  'parley projects': async () => {
    // A cap needs rates.
    await ask('POST', '/admin/v1/rates', RATES)
    return record('projects', { company_id })
  },
  'parley users': () =>
    record('users', { company_id, email: `one_${made}@example.com`, permissions: ['console.agent'] }),
  'parley channels': async () => channels.whatsapp!.id,
  'parley channels delete': () => {
    const credentials = { visitor_secret: 'a word of at least sixteen characters' }
    return record('channels', { project_id, channel_type: 'web', provider: 'cloud', credentials })
  },
  'parley broadcast': () => broadcast(2),
  // The broadcast must not end before it is cancelled.
  'parley broadcast cancel': () => broadcast(1500),
  'parley pipelines': () => record('pipelines', { project_id, stages: [{ name: 'New', rules: {} }] }),
  'parley tags': () => record('tags', { project_id }),
  'parley event-types': () => record('event-types', { company_id, key: `one_${made}` }),
  'parley custom-fields': () =>
    record('custom-fields', { company_id, owner: 'contact', key: `one_${made}`, type: 'string' }),
  'parley customers': () => record('customers', { company_id }),
  'parley canned-responses': () =>
    record('canned-responses', { project_id, shortcut: `one_${made}`, content: 'Thanks' }),
  'parley data': () => record('customers', { company_id }),
  'parley tools': async () => {
    const fields = { name: `Made ${++made}`, url: tool_server.url('orders'), headers: { Authorization: 'Bearer 123' } }
    return (await ask('POST', '/v1/agents/tools', fields))._id
  },
  'parley assistants': () => record('assistants', { project_id }),
  'parley assistants attach': async () => [
    await record('assistants', { project_id }),
    await record('blocks', { project_id, type: 'steps' }),
  ],
  'parley assistants detach': async () => {
    const { _id, blocks } = await ask('POST', '/admin/v1/assistants', { project_id, name: 'Short' })
    return [_id, blocks[0]._id]
  },
  'parley assistants turns': async () => {
    const _id = await record('assistants', { project_id })
    const { reply } = await ask('POST', `/v1/assistants/${_id}/reply`, { messages: [{ role: 'user', text: 'Hello' }] })
    return [_id, reply.turn_id]
  },
  // The examples of `parley simulate`, which come before, have opened tickets.
  'parley assistants reply': async () => [
    await record('assistants', { project_id }),
    (await ask('GET', '/v1/crm/tickets?limit=1')).data[0]._id,
  ],
  'parley assistants summarize': async () => [
    await record('assistants', { project_id }),
    (await ask('GET', '/v1/crm/tickets?limit=1')).data[0]._id,
  ],
  'parley assistants test': () => {
    const cases = 'cases: [{ name: Greeting, steps: [{ user: Hello }] }]'
    writeFileSync(join(directory, 'delivery.yaml'), `name: Delivery\n${cases}\n`)
    return record('assistants', { project_id })
  },
  'parley assistants test-sets': testSet,
  'parley assistants test-runs': async () => {
    const [assistant, test_set] = await testSet()
    const { run } = await ask('POST', `/v1/assistants/${assistant}/test-sets/${test_set}/runs`, {})
    return [assistant, test_set, run._id]
  },
  'parley blocks': () => record('blocks', { project_id, type: 'steps' }),
  'parley blocks release': heldBlock,
  'parley blocks discard': heldBlock,
  'parley contacts': contact,
  'parley contacts merge': async () => [await contact(), await contact()],
  'parley contacts merges': mergedContact,
  'parley contacts unmerge': async () => {
    const id = await mergedContact()
    return eventually('they are merged', async () => {
      const [merge] = (await ask('GET', `/v1/contacts/${id}/merges`)).data
      return merge.status === 'merged' && [id, merge._id]
    })
  },
  'parley knowledge': async () => {
    const fields = { project_id, type: 'document', name: `Made ${++made}`, content: 'Made for an example.' }
    return (await ask('POST', '/admin/v1/knowledge/nodes', fields))._id
  },
  'parley appointments': async () => {
    const starts = Date.UTC(2030, 0, 1) + ++made * HOUR_MS
    const times = { starts_at: new Date(starts).toISOString(), ends_at: new Date(starts + HOUR_MS).toISOString() }
    return (await ask('POST', '/admin/v1/appointments', { project_id, ...times }))._id
  },
  'parley appointments create': async () => {
    const person = { channel_type: 'whatsapp', user_id: `${15_554_100_000 + ++made}`, name: 'Ana' }
    return [(await ask('POST', '/v1/contacts', person))._id, holder._id]
  },
  'parley loyalty programs': () => record('programs', { project_id, type: 'points' }),
  'parley loyalty memberships': membership,
  'parley loyalty memberships create': async () => [
    await record('programs', { project_id, type: 'points' }),
    await record('customers', { company_id }),
  ],
  'parley loyalty': async () => {
    const _id = await membership()
    await ask('POST', `/admin/v1/memberships/${_id}/ledger`, { kind: 'earn', amount: 100 })
    return _id
  },
  'parley dead-letters': deadLetter,
  'parley operator-keys revoke': async () => {
    return (await ask('POST', '/admin/v1/operator-keys', { name: `Made ${++made}`, role: 'read' }))._id
  },
  'parley audit': async () => {
    await record('tags', { project_id })
    return (await ask('GET', '/admin/v1/audit?limit=1')).data[0]._id
  },
}

async function contact(): Promise<string> {
  return (await ask('POST', '/v1/contacts', { channel_type: 'whatsapp', user_id: `${15_554_200_000 + ++made}` }))._id
}

async function mergedContact(): Promise<string> {
  const [id, from_contact_id] = [await contact(), await contact()]
  await ask('POST', `/v1/contacts/${id}/merge`, { from_contact_id })
  return id
}

async function membership(): Promise<string> {
  const program_id = await record('programs', { project_id, type: 'points' })
  const customer_id = await record('customers', { company_id })
  return (await ask('POST', '/admin/v1/memberships', { program_id, customer_id }))._id
}

const { postgres_port, postgres_password } = JSON.parse(readFileSync(join(data_dir, 'servers.json'), 'utf8'))
const database = await openDatabase({ url: postgresUrl(postgres_port, postgres_password), pool_size: 1 })
t.teardown(() => database.close())

/** Parks a dead letter as trouble leaves one. Its message means nothing to the actor. */
async function deadLetter(): Promise<string> {
  const [row] = await database.execute<{ id: string }>(`
    insert into dead_letter (partition, address, message, error) values
      (0, 'mail/none', '{"type":"attempted","attempt":0,"outcome":{"kind":"sent"}}', 'Error: x') returning id::text`)
  return row!.id
}

async function broadcast(count: number): Promise<string> {
  const variables = { 1: 'Ana', 2: 'A-1' }
  const recipients = Array.from({ length: count }, (_, n) => ({ phone: `+1555${4_000_000 + n}`, variables }))
  const body = { template_name: 'order_update', language: 'en_US', recipients }
  return (await ask('POST', '/v1/messages/bulk', body)).broadcast_id
}

/** The field with the name of a record, where it is another one. */
const NAMED_BY: Record<string, string> = { customers: 'full_name', users: 'full_name', 'canned-responses': 'title' }

async function record(kind: string, fields: object): Promise<string> {
  const name = `Made ${++made}`
  const body = { ...fields, [NAMED_BY[kind] ?? 'name']: name }
  return (await ask('POST', `/admin/v1/${kind}`, body))._id
}

/** Returns the example with the values of this start in place of those on the page. */
async function translate(example: string, command: string): Promise<string> {
  const ago = (hours: number) => new Date(Date.now() - hours * HOUR_MS).toISOString()
  const ids = [(await (fresh[command] ?? fresh[command.replace(/ [a-z-]+$/, '')])?.()) ?? []].flat()
  const left = [...ids]
  return example
    .replaceAll('https://parley.example.com', base_url)
    .replace(/--project [0-9a-f]{24}/, `--project ${project_id}`)
    .replace(/--company [0-9a-f]{24}/, `--company ${company_id}`)
    .replace(/--since 2026\S+/, `--since ${ago(3)}`)
    .replace(/--until 2026\S+/, `--until ${ago(1)}`)
    .replace(/\bwh_[0-9a-f]{24}/, webhook_id)
    .replace(/\bdlv_[0-9a-f]{24}/, delivery_id)
    .replace(/\bmsg_[0-9a-f]{24}/, message_id)
    .replace(/\bevt_[0-9a-f]{24}/, event_id)
    .replace(/\b(brd_)?66f2[0-9a-f]{20}\b/g, (written) => left.shift() ?? written)
    .replace(/(dead-letters [a-z]+) 17\b/, `$1 ${ids[0]}`)
    .replace('svc_pk_…', '$(cat token)')
}

/** Splits a block into whole commands: a line that ends with a backslash continues in the next. */
const examplesOf = (code: string) => code.trim().split(/(?<!\\)\n(?! )/)

/** A script that does more with the output of the command than to show it. */
const USES_OUTPUT = /[|>;&`]|\$\(|(?<!\\)\n/
const KEY = 'a key of a reader'
const reader = new ArgumentReader(t, directory, { KEY })

/**
 * Runs an example with the command in this process, which takes a tenth of the time: the shell reports the arguments of
 * the command, and then continues with the command's output.
 */
async function runExample(script: string, env: Record<string, string>): Promise<{ code: number | null; said: string }> {
  if (/\bnpx /.test(script) && !/^[A-Z_]+=[^$]/.test(script)) {
    const given = await reader.read(script)
    if ('said' in given) return { code: null, said: given.said }
    const { code, out, err } = await run(given.args, { PARLEY_DATA_DIR: data_dir, ...env }, given.input)
    if (code !== 0 || !USES_OUTPUT.test(script)) return { code, said: out + err }
    writeFileSync('printed', out)
    // It reads its input, as the command did: a writer without a reader would fail.
    script = `npx() { cat > input; cat printed; }\n${script}`
  }
  const { code, stdout, stderr } = await shell.run(script, { KEY, ...env })
  return { code, said: stdout + stderr }
}

t.test('every example of the manual works', async (t) => {
  const page = readFileSync(join(root, 'docs/cli.md'), 'utf8')
  const lines = page.split('\n')
  const exported = await shell.run(`npx parley pipelines export ${await fresh['parley pipelines']!()} > pipeline.json`)
  t.equal(exported.code, 0, exported.stderr)
  for (const { language, code, line } of blocksOf(page)) {
    const command =
      lines
        .slice(0, line)
        .findLast((text) => /^#+ parley/.test(text))
        ?.replace(/^#+ /, '') ?? ''
    if (language !== 'sh' || ELSEWHERE.test(command)) continue
    for (const example of examplesOf(code)) {
      if (!has_jq && /\bjq\b/.test(example)) continue
      const script = await translate(example, command)
      const ran = await runExample(script, command === 'parley doctor' ? { PARLEY_PORT } : {})
      t.equal(ran.code, 0, `line ${line}, ${script}: ${ran.said}`)
    }
  }
})

t.test('the commands of the console’s empty page work', async (t) => {
  const { fileExample, requestExample }: Json = await import(
    join(root, 'http/console/page/broadcasts/send_examples.ts')
  )
  const by_file = await runExample(fileExample(base_url), {})
  t.match(by_file, { code: 0, said: /^brd_\w+ is queued for 1;/ })
  const by_request = await runExample(requestExample(base_url), {})
  t.match(by_request, { code: 0, said: /"broadcast_id":"brd_/ })
  for (const example of [fileExample, requestExample]) {
    t.match(example('https://parley.example.com'), /svc_pk_….*https:|https:.*svc_pk_…/s, 'elsewhere both are named')
  }
})
