/** Calls of operations with their examples, on real records. */
import type { DescribedOperation } from '../../../http/openapi/describe.ts'
import { callOf } from '../../http/media_client.ts'
import type { Answer, Call, Json } from '../client.ts'
import { OPERATOR_KEY, type Tenant, type World } from '../fixture.ts'
import { type Places, PNG } from './records.ts'

export type Changes = { headers?: Record<string, string>; body?: Json; query?: Record<string, string> }

/** The value with real ids and addresses instead of those of the examples. */
function placed<Value>(value: Value, here: Places): Value {
  if (typeof value === 'string') return (here[value] ?? value) as Value
  if (Array.isArray(value)) return value.map((item) => placed(item, here)) as Value
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, placed(inner, here)])) as Value
}

/** The text with real ids and addresses. Numbers and short names may mean something else in a text. */
export function textPlaced(text: string, here: Places): string {
  const known = Object.entries(here).filter(([example]) => example.length > 12)
  return known.reduce((placed, [example, real]) => placed.replaceAll(example, real), text)
}

/** `changes` replace parts of the example. */
export async function call(
  world: World,
  tenant: Tenant,
  operation: DescribedOperation,
  here: Places,
  changes: Changes = {},
): Promise<Answer> {
  const { method, path, parameters, body, auth, route } = operation
  const { headers = {}, body: given = operation.example.body, query = operation.example.query ?? {} } = changes
  const filled = path.replace(/\{(\w+)\}/g, (_, name) =>
    String(placed(parameters.find((one) => one.name === name)!.example, here)),
  )
  const search = new URLSearchParams(placed(query, here)).toString()
  const token = auth === 'operator' ? OPERATOR_KEY : (here.token ?? tenant.token)
  const accept = { accept: 'application/json, text/event-stream' }
  const sent: Call = { headers: { ...(route.streams && accept), ...headers }, ...(auth !== 'none' && { token }) }
  if (body?.media_type === 'application/json') sent.json = placed(given, here)
  else if (body !== undefined) Object.assign(sent, await formCall(operation.id, placed(given, here), headers))
  return world.http(method, `${world.base_url}${filled}${search && `?${search}`}`, sent)
}

async function formCall(id: string, texts: Record<string, string>, headers: Record<string, string>): Promise<Call> {
  const form = new FormData()
  const is_image = id === 'upload_media'
  const bytes = new Uint8Array(is_image ? PNG : Buffer.from('# Shipping'))
  form.set('file', new File([bytes], is_image ? 'order.png' : 'shipping.md'))
  for (const [field, text] of Object.entries(texts)) form.set(field, text)
  const { raw, headers: of_form } = await callOf(form)
  return { raw, headers: { ...headers, ...of_form } } as Call
}
