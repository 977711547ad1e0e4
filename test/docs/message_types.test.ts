/** docs/message-types.md: its fields and bounds are those of the checks, and every body on it can be sent. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { messageTypes } from '../../actors/mod.ts'
import { type Carrier, capabilities } from '../../actors/providers/mod.ts'
import { message as schema } from '../../http/routes/message_types/mod.ts'
import type { Json } from '../e2e/client.ts'
import { joinWorld, makeTenant } from '../e2e/fixture.ts'
import { root } from '../support/root.ts'
import { sendBodies } from './message_bodies.ts'

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
  const world = await joinWorld(t)
  const { api } = await makeTenant(world)
  await sendBodies(t, page, async (path, body) => {
    const answer = await (body === undefined ? api('GET', `messages${path}`) : api('POST', 'messages', body))
    return answer.body
  })
})
