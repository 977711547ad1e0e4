import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js'
import { type CloudEvent, HTTP } from 'cloudevents'
import { type EventType, eventTypes } from '../../actors/mod.ts'

const FORMATS = {
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  uri: { validate: (text: string) => URL.canParse(text) },
}
const ENVELOPE = ['id', 'type', 'created_at', 'project_id', 'data']

const published = validators((schema) => schema, { strict: true })
/** Our own properties are all documented: a property that no schema names is a leak or a gap in the catalogue. */
const closed = validators(close, { strict: false, validateSchema: false })

/** Checks the body of a webhook against the envelope and the schema of its type. Returns the faults. */
export function bodyProblems(body: Record<string, unknown>): string[] {
  const { id, type, created_at, project_id, data } = body
  const problems: string[] = []
  if (Object.keys(body).join() !== ENVELOPE.join()) problems.push(`its properties are ${Object.keys(body)}`)
  if (!/^evt_[0-9a-f]{24}$/.test(String(id))) problems.push(`its id is ${id}`)
  if (!FORMATS['date-time'].test(String(created_at))) problems.push(`its created_at is ${created_at}`)
  if (!/^[0-9a-f]{24}$/.test(String(project_id))) problems.push(`its project_id is ${project_id}`)
  return [...problems, ...dataProblems(String(type), data)]
}

/** Checks a body that is a CloudEvent, with the library of its specification. Returns the faults. */
export function cloudEventProblems(headers: Record<string, string>, raw: string): string[] {
  try {
    const event = HTTP.toEvent({ headers, body: raw })
    if (Array.isArray(event)) return ['it is a batch']
    ;(event as CloudEvent<unknown>).validate()
    const { specversion, datacontenttype, id, type, time, data, projectid } = event
    const problems = specversion === '1.0' && datacontenttype === 'application/json' ? [] : ['its attributes are wrong']
    return [...problems, ...bodyProblems({ id, type, created_at: time, project_id: projectid, data })]
  } catch (error) {
    return [`it is no CloudEvent: ${error}`]
  }
}

const ADDRESSES = ['event', 'record']

/** Checks the data of a thin event: the addresses of the event and of its record. */
function thinProblems({ _test, ...data }: Record<string, unknown>): string[] {
  const { event, record } = data
  const is_right = /^\/v1\/events\/evt_[0-9a-f]{24}$/.test(String(event)) && /^(?:null|\/v1\/.+)$/.test(String(record))
  return is_right && (_test === undefined || _test === true) ? [] : [`thin data is ${JSON.stringify(data)}`]
}

/** Checks the `data` of an event and returns the faults. */
export function dataProblems(type: string, data: unknown): string[] {
  const names = Object.keys(data ?? {}).filter((name) => name !== '_test')
  if (names.join() === ADDRESSES.join()) return thinProblems(data as Record<string, unknown>)
  const [open, strict] = [published(type), closed(type)]
  if (!open || !strict) return [`no schema for ${type}`]
  const found = new Set<string>()
  for (const validate of [open, strict]) {
    if (validate(data)) continue
    for (const { instancePath, message, params } of validate.errors!) {
      found.add(`${type} data${instancePath} ${message} ${JSON.stringify(params)}`)
    }
  }
  return [...found]
}

/**
 * Compiles each schema when its type first comes. All of them take most of a second, and a test sees a few. Ajv would
 * take longer to optimize a validator than a test needs it for.
 */
function validators(
  prepare: (schema: EventType['schema']) => object,
  options: Options,
): (type: string) => ValidateFunction | undefined {
  const common = { allErrors: true, allowUnionTypes: true, formats: FORMATS, code: { optimize: false } }
  const ajv = new Ajv2020({ ...common, ...options })
  const compiled = new Map<string, ValidateFunction>()
  return (type) => {
    const known = compiled.get(type)
    const schema = known ? undefined : eventTypes.find((one) => one.type === type)?.schema
    if (schema) compiled.set(type, ajv.compile(prepare(schema)))
    return compiled.get(type)
  }
}

/** Returns the schema without further properties, except where it allows them. */
function close<Schema>(schema: Schema): Schema {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, close(value)]))
  const is_object = 'properties' in schema && typeof schema.properties === 'object' && 'required' in schema
  return (is_object ? { additionalProperties: false, ...inner } : inner) as Schema
}
