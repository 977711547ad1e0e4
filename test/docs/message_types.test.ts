/**
 * docs/message-types.md: its fields and bounds are those of the checks, and a development start sends every body on it.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { messageTypes } from '../../actors/mod.ts'
import { type Carrier, capabilities } from '../../actors/providers/mod.ts'
import { readDemo } from '../../http/app/demo/demo_file.ts'
import { startParley } from '../../http/app/parley.ts'
import { message as schema } from '../../http/routes/message_types/mod.ts'
import { readConfig, silentLog } from '../../runtime/mod.ts'
import { eventually, type Json } from '../e2e/client.ts'
import { freePort, tempDir } from '../support/mod.ts'
import { root } from '../support/root.ts'
import { watchNode } from '../support/watched_fetch.ts'
import { blocksOf } from './markdown.ts'
import { Shell } from './shell.ts'

const file = join(root, 'docs/message-types.md')
const page = readFileSync(file, 'utf8')
const sections = new Map(
  page
    .split(/^## /m)
    .slice(1)
    .map((text) => [text.slice(0, text.indexOf('\n')), text]),
)

/** A field of the checks: its path, the numbers that bound it, and whether it is required. */
type Field = { path: string; bounds: number[]; is_required: boolean }

// biome-ignore lint/suspicious/noExplicitAny: schemas of every kind
function fieldsOf(schema: any, path: string, is_required = true): Field[] {
  const { type } = schema
  if (type === 'optional') return fieldsOf(schema.wrapped, path, false)
  const bounds = (schema.pipe ?? [])
    .filter(({ type }: Json) => /^(min|max)_(length|value)$/.test(type))
    .map(({ requirement }: Json) => requirement)
  const own = { path, bounds, is_required }
  if (type === 'strict_object') {
    const below = path ? `${path}.` : ''
    return Object.entries(schema.entries).flatMap(([name, entry]) => fieldsOf(entry, `${below}${name}`))
  }
  if (type === 'variant') {
    const all = schema.options.flatMap((option: Json) => fieldsOf(option, path))
    return [...new Map(all.map((field: Field) => [field.path, field])).values()] as Field[]
  }
  if (type !== 'array') return [own]
  return bounds.length > 0 ? [own, ...fieldsOf(schema.item, `${path}[]`)] : fieldsOf(schema.item, `${path}[]`)
}

t.test('the page has the sixteen types, each with the fields, bounds and channels of the checks', (t) => {
  t.same([...sections.keys()], messageTypes)
  let right = page
  for (const [type, text] of sections) {
    const option = schema.options.find(({ entries }) => entries.type.literal === type)
    const fields = fieldsOf(option, '').filter(({ path }) => path !== 'type')
    const rows = new Map(
      [...text.matchAll(/^\| `([^`]+)` \| (.*?) \| (.*?) ?\|$/gm)].map(([, path, value, need]) => [
        path,
        { value, need },
      ]),
    )
    t.same([...rows.keys()].sort(), fields.map(({ path }) => path).sort(), `${type}: the fields`)
    for (const { path, bounds, is_required } of fields) {
      const { value = '', need = '' } = rows.get(path) ?? {}
      for (const bound of bounds) t.ok(new RegExp(`(?<![\\d-])${bound}\\b`).test(value), `${type}.${path}: ${bound}`)
      if (is_required) t.match(need, /^required/, `${type}.${path} is required`)
    }
    const carriers = (Object.keys(capabilities) as Carrier[]).flatMap((carrier) => {
      const how = capabilities[carrier][type as 'text']
      return how === undefined ? [] : [how === 'yes' ? `\`${carrier}\`` : `\`${carrier}\` (${how})`]
    })
    const line = `Channels: ${carriers.join(', ')}.`
    right = right.replace(text, text.replace(/^(CHANNELS|Channels: ).*$/m, line))
  }
  if (process.env.TAP_SNAPSHOT === '1') writeFileSync(file, right)
  else
    t.equal(page, right, 'run `TAP_SNAPSHOT=1 npm test -- test/docs/message_types.test.ts` to write the channels again')
  t.end()
})

t.test('every body is accepted, and arrives', async (t) => {
  const directory = tempDir(t)
  const data_dir = join(directory, '.parley')
  const config = readConfig({ PARLEY_DATA_DIR: data_dir, PARLEY_PORT: String(await freePort()) })
  const parley = await startParley(config, { log: silentLog })
  t.teardown(() => parley.stop())
  watchNode(parley.base_url)
  const { token } = readDemo(data_dir)!
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const ask = async (path: string, body?: string): Promise<Json> => {
    const sent = body === undefined ? {} : { method: 'POST', body }
    return (await fetch(`${parley.base_url}/v1/messages${path}`, { headers, ...sent })).json()
  }
  const shell = new Shell(directory)
  let earlier = ''
  for (const { language, code, line } of blocksOf(page)) {
    if (language === 'sh') {
      const { code: exit, stdout, stderr } = await shell.run(code, { BASE: parley.base_url, TOKEN: token })
      t.equal(exit, 0, stderr)
      t.match(JSON.parse(stdout), { id: /^msg_/, status: 'queued' })
    }
    if (language !== 'json') continue
    // A reaction needs an existing message.
    const message = JSON.parse(code.replace(/msg_[0-9a-f]{24}/, earlier))
    const answer = await ask('', JSON.stringify({ channel: 'whatsapp', to: '+15550180000', message }))
    if (!t.match(answer, { status: 'queued', type: message.type }, `line ${line}: ${JSON.stringify(answer)}`)) continue
    const ended = await eventually(`${message.type} arrives`, async () => {
      const { status, error } = await ask(`/${answer.id}`)
      return ['read', 'failed'].includes(status) && { status, error }
    })
    t.strictSame(ended, { status: 'read', error: null }, `line ${line}: ${message.type}`)
    if (message.type === 'text') earlier = answer.id
  }
})
