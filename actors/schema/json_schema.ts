/**
 * Converts valibot schemas into the JSON Schemas of the description (OpenAPI 3.1.1, JSON Schema 2020-12).
 *
 * `@valibot/to-json-schema` does most of it. This file is the only place that corrects it:
 *
 *  S1 A schema with a title (`named`) becomes a component of that name, and each use of it a reference.
 *  S2 A variant keeps its discriminator. Its options become components, because a discriminator needs references.
 *  S3 Checks in code have no form in JSON Schema and are left out, but for those of the presence of fields (`across`). The
 *     field's description says what the others demand.
 *  S4 A pattern that ignores case accepts both cases in requests, and lower case in responses: ids are answered so.
 *  S5 Objects of a response stay open, because a later release may add fields.
 */
import { type ConversionConfig, toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema'
import type * as v from 'valibot'
import type { Presence } from './across.ts'
import { ignoringCase, withoutClasses } from './pattern.ts'

export type JsonSchema = { [keyword: string]: unknown }

/** The kind of message that contains the value. */
export type Direction = 'request' | 'response'

/** A schema, with the parts that those of its `type` have. */
export type AnySchema = v.GenericSchema & {
  pipe?: readonly PipeItem[]
  entries?: Record<string, AnySchema>
  /** The values of a picklist. */
  options?: readonly AnySchema[]
  item?: AnySchema
  value?: AnySchema
  wrapped?: AnySchema
  /** For a variant, the field in which its options differ. */
  key?: string
  literal?: unknown
  default?: unknown
  max_properties?: number
}

/** A schema or an action, with the parts that those of its `type` have. */
export type PipeItem = AnySchema & { title?: string; operation?: unknown; requirement?: unknown }

type OverrideSchema = NonNullable<ConversionConfig['overrideSchema']>
type OverrideAction = NonNullable<ConversionConfig['overrideAction']>
type Overridden = ReturnType<OverrideSchema>

/** Checks without a form in JSON Schema, and transformations that keep the type. */
const LEFT_OUT = new Set([
  'check',
  'partial_check',
  'raw_check',
  'trim',
  'normalize',
  'to_lower_case',
  'finite',
  'flavor',
])

/** Maximum properties of an object with free names, where its schema sets no limit (`linear_schemas.ts`). */
const MAX_PROPERTIES = 1000

export type Converted = {
  /** The JSON Schema of one of the given schemas; a reference when it has a title. */
  of(schema: v.GenericSchema): JsonSchema
  /** All named schemas that the given ones contain. */
  components: Record<string, JsonSchema>
}

/**
 * Converts schemas together, so that each component is converted once.
 * @throws {Error} for a schema without a form in JSON Schema, and for two different schemas of one name
 */
export function convertSchemas(schemas: Iterable<v.GenericSchema>, direction: Direction): Converted {
  const roots = new Map<v.GenericSchema, string>()
  const named = new Map<string, v.GenericSchema>()
  const definitions: Record<string, v.GenericSchema> = {}
  for (const schema of schemas) {
    if (roots.has(schema)) continue
    const key = `root ${roots.size}`
    roots.set(schema, titleOf(schema) ?? key)
    collect(schema as AnySchema, named)
    // A copy, so that another schema that contains this one does not refer to it.
    if (titleOf(schema) === undefined) definitions[key] = { ...schema }
  }
  for (const [name, schema] of named) definitions[name] = schema
  const converted = toJsonSchemaDefs(definitions as never, {
    ...configOf(direction),
    overrideRef: ({ referenceId }) => referenceTo(referenceId),
  }) as Record<string, JsonSchema>
  return {
    of(schema) {
      const key = roots.get(schema)!
      return named.has(key) ? { $ref: referenceTo(key) } : converted[key]!
    },
    components: Object.fromEntries([...named.keys()].map((name) => [name, withoutTitle(converted[name]!)])),
  }
}

/** The JSON Schema of one schema, with all that it contains in it. */
export function inlineSchema(schema: v.GenericSchema, direction: Direction): JsonSchema {
  const { $schema: _, ...converted } = toJsonSchema(schema as never, configOf(direction)) as JsonSchema
  return converted
}

function configOf(direction: Direction) {
  return {
    typeMode: direction === 'request' ? 'input' : 'output',
    target: 'draft-2020-12',
    overrideSchema: overrideSchema(direction),
    overrideAction: overrideAction(direction),
  } as const
}

function referenceTo(name: string): string {
  return `#/components/schemas/${name}`
}

/** The name of the component that the schema becomes. */
function titleOf(schema: v.GenericSchema): string | undefined {
  return (schema as AnySchema).pipe?.findLast(({ type }) => type === 'title')?.title
}

/** Finds the named schemas in a schema, and gives the options of its variants names. */
function collect(schema: AnySchema, named: Map<string, v.GenericSchema>): void {
  const title = titleOf(schema)
  if (title !== undefined) {
    const earlier = named.get(title)
    if (earlier === schema) return
    if (earlier !== undefined) throw new Error(`two schemas have the name ${title}`)
    named.set(title, schema)
  }
  for (const part of partsOf(schema)) collect(part, named)
  const variant = [schema, ...(schema.pipe ?? [])].find(({ type }) => type === 'variant')
  if (variant === undefined) return
  if (title === undefined) throw new Error(`the variant by ${variant.key} needs a name`)
  for (const option of variant.options ?? []) named.set(`${pascal(literalOf(variant, option))}${title}`, option)
}

function partsOf({ pipe, entries, options, item, value, wrapped, type }: AnySchema): AnySchema[] {
  const own = [...Object.values(entries ?? {}), ...(type === 'picklist' ? [] : (options ?? [])), item, value, wrapped]
  const inPipe = (pipe ?? []).flatMap((one) => (one.kind === 'schema' ? partsOf(one) : []))
  return [...own, ...inPipe].flatMap((one) => (one?.kind === 'schema' ? [one] : []))
}

function literalOf(variant: AnySchema, option: AnySchema): string {
  return String(option.entries?.[variant.key ?? '']?.literal)
}

/** `cta_url` becomes `CtaUrl`. */
function pascal(name: string): string {
  return name.replace(/(?:^|[_-])(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function withoutTitle({ title: _, ...schema }: JsonSchema): JsonSchema {
  return schema
}

function overrideSchema(direction: Direction): OverrideSchema {
  return ({ valibotSchema, jsonSchema }) => {
    const schema = valibotSchema as unknown as AnySchema
    const converted = { ...jsonSchema } as JsonSchema
    switch (schema.type) {
      case 'object':
      case 'strict_object':
      case 'loose_object':
        if ((converted.required as string[]).length === 0) delete converted.required
        if (direction === 'response') delete converted.additionalProperties
        if (schema.type === 'loose_object') converted.additionalProperties = true
        break
      case 'record': {
        delete converted.propertyNames
        if (direction === 'request') converted.maxProperties = schema.max_properties ?? MAX_PROPERTIES
        break
      }
      case 'nullable':
      case 'nullish':
        return nullable(converted) as Overridden
      case 'variant': {
        const options = schema.options ?? []
        const refs = (converted.oneOf as { $ref: string }[]).map(({ $ref }) => $ref)
        const mapping = Object.fromEntries(options.map((option, at) => [literalOf(schema, option), refs[at]]))
        converted.discriminator = { propertyName: schema.key, mapping }
        break
      }
      default:
        return undefined
    }
    return converted as Overridden
  }
}

/** `null` beside a simple type is one more type. */
function nullable({ anyOf, ...rest }: JsonSchema): JsonSchema {
  const [inner] = anyOf as [JsonSchema]
  if (typeof inner.type !== 'string') return { anyOf, ...rest }
  const values = inner.enum as unknown[] | undefined
  return { ...inner, ...rest, type: [inner.type, 'null'], ...(values && { enum: [...values, null] }) }
}

function overrideAction(direction: Direction): OverrideAction {
  return ({ valibotAction, jsonSchema }) => {
    const action = valibotAction as unknown as { type: string; requirement?: unknown; presence?: Presence }
    if (action.presence !== undefined) return { ...jsonSchema, ...presenceOf(action.presence) } as typeof jsonSchema
    if (LEFT_OUT.has(action.type)) return jsonSchema
    if (action.type !== 'regex') return undefined
    const { source, ignoreCase } = action.requirement as RegExp
    const pattern = withoutClasses(ignoreCase && direction === 'request' ? ignoringCase(source) : source)
    // The conversion has set the source already, unless there was a pattern before.
    const { pattern: earlier = source, ...rest } = jsonSchema
    const is_second = earlier !== source
    return is_second ? { ...rest, pattern: earlier, allOf: [{ pattern }] } : { ...rest, pattern }
  }
}

function presenceOf(presence: Presence): JsonSchema {
  // Readers of descriptions want every required property declared beside it.
  const having = (name: string) => ({ properties: { [name]: {} }, required: [name] })
  if ('at_least_one_of' in presence) return { anyOf: presence.at_least_one_of.map(having) }
  if ('exactly_one_of' in presence) return { oneOf: presence.exactly_one_of.map(having) }
  const without = (names: readonly string[]) => ({ properties: Object.fromEntries(names.map((name) => [name, false])) })
  const entries = Object.entries(presence.excludes).map(([name, others]) => [name, without(others)])
  return { dependentSchemas: Object.fromEntries(entries) }
}
