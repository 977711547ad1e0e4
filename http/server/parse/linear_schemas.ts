/**
 * Valibot schemas whose validation takes time linear in the value, whatever a stranger sends.
 *
 *  B1 Each value is visited once. The pass that checks an object also finds all of its unknown properties.
 *  B2 A list that is too long is refused before its items are checked.
 *  B3 A list or an object stops when `most` issues are found in it: the answer names no more.
 *  B4 A variant is found by its discriminator, not by trying one option after the other.
 *
 * A schema is rebuilt once, when its route is planned. Kinds of schemas without a bounded form are refused there.
 */
import * as v from 'valibot'

type Issue = v.BaseIssue<unknown>
type Dataset = v.OutputDataset<unknown, Issue>
type PathItem = v.IssuePathItem

/** Configuration of a run: the texts of issues, and the maximum number of them. */
export type BoundedConfig = v.Config<Issue> & { most: number }

/** A schema, with the parts that those of its `type` have. */
type AnySchema = v.GenericSchema & {
  is_bounded: boolean | undefined
  pipe: [AnySchema, ...PipeItem[]] | undefined
  default: unknown
  wrapped: AnySchema
  entries: Record<string, AnySchema>
  item: AnySchema
  /** The schema of the names of a record. For a variant, a text: the field in which its options differ. */
  key: AnySchema
  value: AnySchema
  max_properties: number | undefined
  options: AnySchema[]
  literal: unknown
}

/** Checks of one value cost a constant: nothing to rebuild. */
const LEAVES = new Set(['string', 'number', 'boolean', 'literal', 'picklist', 'unknown', 'never', 'null', 'any'])
const WRAPPERS = new Set(['optional', 'nullable', 'nullish', 'exact_optional', 'undefinedable'])

const rebuilt = new WeakMap<v.GenericSchema, v.GenericSchema>()

/**
 * Rebuilds the schema within the bounds above. Its output is the same; its issues are, too, but for their order and
 * number.
 * @throws {Error} for a kind of schema that has no bounded form
 */
export function bounded<Schema extends v.GenericSchema>(schema: Schema): Schema {
  let made = rebuilt.get(schema)
  if (made === undefined) {
    made = rebuild(schema as unknown as AnySchema)
    rebuilt.set(schema, made)
    rebuilt.set(made, made)
  }
  return made as Schema
}

function rebuild(schema: AnySchema): v.GenericSchema {
  if (schema.is_bounded === true) return schema
  if (schema.pipe !== undefined) return rebuildPipe(schema.pipe)
  if (LEAVES.has(schema.type)) return schema
  if (WRAPPERS.has(schema.type)) return withParts(schema, { wrapped: bounded(schema.wrapped) })
  switch (schema.type) {
    case 'strict_object':
    case 'loose_object': {
      const entries = Object.entries(schema.entries as Record<string, AnySchema>)
      const parts = Object.fromEntries(entries.map(([key, entry]) => [key, bounded(entry)]))
      return withParts(schema, { entries: parts, '~run': runObject })
    }
    case 'array':
      return withParts(schema, { item: bounded(schema.item), '~run': runArray })
    case 'record':
      return withParts(schema, { value: bounded(schema.value), '~run': runRecord })
    case 'union':
      return withParts(schema, { options: schema.options.map(bounded) })
    case 'variant':
      return rebuildVariant(schema)
    default:
      throw new Error(`schemas of type ${schema.type} have no bounded form`)
  }
}

function withParts(schema: AnySchema, parts: object): v.GenericSchema {
  return { ...schema, ...parts }
}

type PipeItem = AnySchema | v.GenericPipeAction

function rebuildPipe([root, ...rest]: [AnySchema, ...PipeItem[]]): v.GenericSchema {
  const parts = rest.map((item) => (item.kind === 'schema' ? bounded(item as AnySchema) : item))
  const pipe = v.pipe(bounded(root), ...(parts as [])) as unknown as AnySchema
  const longest = parts.find((item) => item.type === 'max_length')
  if (root.type !== 'array' || longest === undefined) return pipe
  const run = pipe['~run']
  return withParts(pipe, {
    '~run'(dataset: v.UnknownDataset, config: BoundedConfig): unknown {
      const { requirement, '~run': complain } = longest as unknown as v.MaxLengthAction<unknown[], number, undefined>
      if (!Array.isArray(dataset.value) || dataset.value.length <= requirement) return run.call(pipe, dataset, config)
      const refused = complain.call(longest as never, { typed: true, value: dataset.value }, config)
      return { ...refused, typed: false }
    },
  })
}

/** The issue limit of a run that began at `check`; runs that begin elsewhere have no limit. */
function maxOf(config: v.Config<Issue>): number {
  return (config as Partial<BoundedConfig>).most ?? Number.POSITIVE_INFINITY
}

/** Adds the issues of a part to those of the whole. */
function adopt(whole: Dataset, part: Dataset, item: PathItem): void {
  if (part.typed === false) whole.typed = false
  if (part.issues === undefined) return
  for (const issue of part.issues as Writable<Issue>[]) issue.path = issue.path ? [item, ...issue.path] : [item]
  if (whole.issues === undefined) Object.assign(whole, { issues: part.issues })
  else for (const issue of part.issues) whole.issues.push(issue)
}

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] }

function isFull({ issues }: Dataset, most: number): boolean {
  return issues !== undefined && issues.length >= most
}

/** False for arrays, which are objects in JavaScript. */
function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function refuseType(schema: AnySchema, dataset: Dataset, config: v.Config<Issue>): Dataset {
  v._addIssue(schema as never, 'type', dataset as never, config)
  return dataset
}

function runObject(this: AnySchema, dataset: Dataset, config: v.Config<Issue>): Dataset {
  const input = dataset.value
  if (!isObject(input)) return refuseType(this, dataset, config)
  const most = maxOf(config)
  const output: Record<string, unknown> = {}
  const whole = Object.assign(dataset, { typed: true, value: output }) as Dataset
  const entries = this.entries as Record<string, AnySchema>
  for (const key in entries) {
    const schema = entries[key]!
    const is_there = Object.hasOwn(input, key)
    if (is_there || (isOptional(schema) && schema.default !== undefined)) {
      const value = is_there ? input[key] : v.getDefault(schema)
      const part = schema['~run']({ value }, config) as Dataset
      if (part.issues !== undefined || !part.typed) {
        adopt(whole, part, { type: 'object', origin: 'value', input, key, value })
      }
      output[key] = part.value
    } else if (!isOptional(schema)) {
      const item: PathItem = { type: 'object', origin: 'key', input, key, value: undefined }
      const other = { input: undefined, expected: `"${key}"`, path: [item] as [PathItem] }
      v._addIssue(this as never, 'key', whole as never, config, other)
    }
    if (isFull(whole, most)) return whole
  }
  for (const key in input) {
    if (Object.hasOwn(entries, key)) continue
    if (this.type === 'loose_object') {
      output[key] = input[key]
      continue
    }
    const item: PathItem = { type: 'object', origin: 'key', input, key, value: undefined }
    const { typed } = whole
    const other = { input: undefined, expected: 'never', path: [item] as [PathItem] }
    v._addIssue(this as never, 'key', whole as never, config, other)
    // Checks over several properties still run.
    Object.assign(whole, { typed })
    if (isFull(whole, most)) break
  }
  return whole
}

function isOptional({ type }: AnySchema): boolean {
  return type === 'optional' || type === 'nullish' || type === 'exact_optional'
}

function runArray(this: AnySchema, dataset: Dataset, config: v.Config<Issue>): Dataset {
  const input = dataset.value
  if (!Array.isArray(input)) return refuseType(this, dataset, config)
  const most = maxOf(config)
  const output: unknown[] = []
  const whole = Object.assign(dataset, { typed: true, value: output }) as Dataset
  for (let key = 0; key < input.length; key++) {
    const value = input[key]
    const part = this.item['~run']({ value }, config) as Dataset
    if (part.issues !== undefined || !part.typed) {
      adopt(whole, part, { type: 'array', origin: 'value', input, key, value })
      if (isFull(whole, most)) return Object.assign(whole, { typed: false }) as unknown as Dataset
    }
    output.push(part.value)
  }
  return whole
}

/** Names that valibot silently drops from a record. */
const LOST_NAMES = new Set(['__proto__', 'constructor', 'prototype'])
const LOST_NAME = v.check(() => false, 'is not a name that can be kept; choose another')
/** Maximum properties of an object with free names, where its schema sets no limit. */
const MAX_PROPERTIES = 1000

function runRecord(this: AnySchema, dataset: Dataset, config: v.Config<Issue>): Dataset {
  const input = dataset.value
  if (!isObject(input)) return refuseType(this, dataset, config)
  const most = maxOf(config)
  const output: Record<string, unknown> = {}
  const whole = Object.assign(dataset, { typed: true, value: output }) as Dataset
  const max_properties = this.max_properties ?? MAX_PROPERTIES
  let count = 0
  for (const key in input) {
    if (++count > max_properties) {
      const message = `must have at most ${max_properties} properties`
      v._addIssue(v.maxEntries(max_properties, message) as never, 'entries', whole as never, config)
      return Object.assign(whole, { typed: false }) as unknown as Dataset
    }
    const value = input[key]
    if (LOST_NAMES.has(key)) {
      const item: PathItem = { type: 'object', origin: 'key', input, key, value }
      v._addIssue(LOST_NAME as never, 'key', whole as never, config, { path: [item] })
    } else {
      const name = this.key['~run']({ value: key }, config) as Dataset
      if (name.issues) adopt(whole, name, { type: 'object', origin: 'key', input, key, value })
      const part = this.value['~run']({ value }, config) as Dataset
      if (part.issues !== undefined || !part.typed) {
        adopt(whole, part, { type: 'object', origin: 'value', input, key, value })
      }
      output[key] = part.value
    }
    if (isFull(whole, most)) return Object.assign(whole, { typed: false }) as unknown as Dataset
  }
  return whole
}

/** The options of a variant differ in one literal. */
function rebuildVariant(schema: AnySchema): v.GenericSchema {
  const key = schema.key as unknown as string
  const options = schema.options.map(bounded)
  const by_name = new Map(options.map((option) => [option.entries[key]!.literal, option]))
  if (by_name.size !== options.length || by_name.has(undefined)) {
    throw new Error(`the options of a variant must differ in the literal of ${key}`)
  }
  const expected = `(${options.map((option) => option.entries[key]!.expects).join(' | ')})`
  return withParts(schema, {
    options,
    '~run'(this: AnySchema, dataset: Dataset, config: v.Config<Issue>): Dataset {
      const input = dataset.value
      if (!isObject(input)) return refuseType(this, dataset, config)
      const value = Object.hasOwn(input, key) ? input[key] : undefined
      const option = by_name.get(value)
      if (option !== undefined) return option['~run']({ value: input }, config) as Dataset
      const item: PathItem = { type: 'object', origin: 'value', input, key, value }
      const other = { input: value, received: typeof value, expected, path: [item] as [PathItem] }
      v._addIssue(this as never, 'type', dataset as never, config, other)
      return dataset
    },
  })
}
