/**
 * The parameters of a tool: a JSON Schema of its arguments, written by a client. It is checked when it is stored, within
 * bounds that keep the check short, as it runs where all requests are answered: nothing is fetched, and nothing is
 * compiled. The patterns are compiled in a thread afterwards (`patterns.ts`), when their size is known.
 */
import { Ajv } from 'ajv'
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import { draft07Rules } from './draft_07_rules.ts'
import { hasFlags, patternSize, unicodeNames } from './pattern_size.ts'

/** Maximum characters of the schema as JSON. */
const MAX_PARAMETERS_LENGTH = 32_768
/** Maximum depth of objects and lists in the schema. */
const MAX_DEPTH = 24
/** Maximum number of patterns, and of characters in one. They run in linear time (`re2js`). */
const MAX_PATTERNS = 50
const MAX_PATTERN_LENGTH = 500
/**
 * Maximum size of all patterns of a schema together, and of names such as `\p{L}` in them. Compiling the worst takes
 * about ten milliseconds for each. A pattern that occurs again is not counted again.
 */
const MAX_PATTERN_PARTS = 5_000
const MAX_UNICODE_NAMES = 40
const MAX_VIOLATIONS = 20

const DRAFT_07 = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/
const DRAFT_2020 = /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/

/** `path` within the schema. `message` continues the name of the value: "parameters must …". */
export type SchemaViolation = { path: string[]; message: string }

export type PlacedPattern = { pattern: string; path: string[] }

/** True when the schema names draft 7; every other schema is read as draft 2020-12, which MCP and OpenAPI use. */
export function isDraft07({ $schema }: Record<string, unknown>): boolean {
  return typeof $schema === 'string' && DRAFT_07.test($schema)
}

/** Reasons why the schema cannot be used for arguments; empty for a schema that can. */
export function parameterViolations(schema: Record<string, unknown>): SchemaViolation[] {
  const size = JSON.stringify(schema).length
  if (size > MAX_PARAMETERS_LENGTH) return [at([], `must be at most ${MAX_PARAMETERS_LENGTH} characters of JSON`)]
  const { $schema } = schema
  if ($schema !== undefined && !(typeof $schema === 'string' && (DRAFT_07.test($schema) || DRAFT_2020.test($schema)))) {
    return [at(['$schema'], 'must name draft 2020-12 or draft 7 of JSON Schema, or be left out')]
  }
  if (schema.type !== 'object') {
    return [at(['type'], 'must be "object": the arguments of a tool are named')]
  }
  const walk = new Walk(schema)
  if (walk.violations.length > 0) return walk.violations
  const validator = isDraft07(schema) ? validators.draft_07 : validators.draft_2020
  if (validator.validateSchema(schema)) return []
  return (validator.errors ?? []).slice(0, MAX_VIOLATIONS).map(violationOf)
}

/** The patterns of a schema that has no violations, each once, with the place of the first. */
export function patternsOf(schema: Record<string, unknown>): PlacedPattern[] {
  return [...new Walk(schema).patterns].map(([pattern, path]) => ({ pattern, path }))
}

const settings = { strict: false, logger: false, allErrors: false, validateFormats: false } as const
const validators = {
  draft_07: new Ajv({ ...settings, meta: false }).addMetaSchema(draft07Rules()),
  draft_2020: new Ajv2020(settings),
}

function violationOf({ instancePath, message }: ErrorObject): SchemaViolation {
  return at(pointerParts(instancePath), `${message ?? 'is not JSON Schema'} (by the rules of JSON Schema)`)
}

function at(path: string[], message: string): SchemaViolation {
  return { path, message }
}

function pointerParts(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Visits every value once, without recursion deeper than the bound. */
class Walk {
  readonly violations: SchemaViolation[] = []
  /** Places of the patterns within the bounds. */
  readonly patterns = new Map<string, string[]>()
  readonly #root: Record<string, unknown>
  #patterns = 0
  #size = 0
  #unicode_names = 0
  readonly #judged = new Map<string, string | undefined>()

  constructor(root: Record<string, unknown>) {
    this.#root = root
    this.#visit(root, [], false)
  }

  /** `named`: the keys are names, not keywords. */
  #visit(value: unknown, path: string[], named: boolean): void {
    if (this.violations.length >= MAX_VIOLATIONS || typeof value !== 'object' || value === null) return
    if (path.length >= MAX_DEPTH) {
      this.violations.push(at(path, `must not be nested deeper than ${MAX_DEPTH} levels`))
      return
    }
    for (const [key, part] of Object.entries(value)) {
      const here = [...path, key]
      // Names of arguments are free, "properties" among them; everywhere else these are keywords.
      const is_keyword = !named && !Array.isArray(value)
      if (is_keyword) this.#keyword(key, part, here)
      if (!(is_keyword && VALUES.has(key))) this.#visit(part, here, is_keyword && NAMED.has(key))
      if (named && path.at(-1) === 'patternProperties') this.#pattern(key, here)
    }
  }

  #keyword(key: string, value: unknown, path: string[]): void {
    if (key === '$ref' && typeof value === 'string' && !this.#leadsSomewhere(value)) {
      this.violations.push(at(path, 'must lead to a part of this schema, such as "#/$defs/address"'))
    }
    if (FOREIGN.has(key)) this.violations.push(at(path, 'is not supported here; use $ref with #/$defs'))
    if (key === BIND && !isBinding(value, path)) this.violations.push(at(path, BIND_RULE))
    if (key === 'enum' && Array.isArray(value) && value.length === 0) {
      this.violations.push(at(path, 'must list at least one value'))
    }
    if (key === 'pattern' && typeof value === 'string') this.#pattern(value, path)
  }

  #leadsSomewhere(ref: string): boolean {
    if (ref === '#') return true
    if (!ref.startsWith('#/')) return false
    let part: unknown = this.#root
    for (const name of pointerParts(decoded(ref.slice(1)))) {
      if (typeof part !== 'object' || part === null || !Object.hasOwn(part, name)) return false
      part = (part as Record<string, unknown>)[name]
    }
    return (typeof part === 'object' && part !== null) || typeof part === 'boolean'
  }

  #pattern(pattern: string, path: string[]): void {
    this.#patterns += 1
    if (this.#patterns > MAX_PATTERNS) {
      this.violations.push(at(path, `must be one of at most ${MAX_PATTERNS} patterns`))
      return
    }
    if (!this.#judged.has(pattern)) this.#judged.set(pattern, this.#problem(pattern))
    const problem = this.#judged.get(pattern)
    if (problem !== undefined) this.violations.push(at(path, problem))
    else if (!this.patterns.has(pattern)) this.patterns.set(pattern, path)
  }

  #problem(pattern: string): string | undefined {
    if (pattern.length > MAX_PATTERN_LENGTH) return `must be at most ${MAX_PATTERN_LENGTH} characters`
    if (hasFlags(pattern)) return 'must not have flags such as (?i) or quotes such as \\Q; write [Aa], and escapes'
    this.#size += Math.max(pattern.length, patternSize(pattern))
    if (this.#size > MAX_PATTERN_PARTS) {
      return `makes the patterns too large: ${MAX_PATTERN_PARTS} parts, repetitions written out`
    }
    this.#unicode_names += unicodeNames(pattern)
    if (this.#unicode_names > MAX_UNICODE_NAMES) {
      return `makes the patterns too large: ${MAX_UNICODE_NAMES} names such as \\p{L}; leave some out, or write ranges`
    }
    return undefined
  }
}

/** The keyword of arguments that the server fills with facts of the person, whatever a model says. */
export const BIND = 'x-parley-bind'
const bindings = [
  'contact.id',
  'contact.name',
  'contact.phone',
  'contact.email',
  'contact.external_id',
  'ticket.id',
] as const
export type Binding = (typeof bindings)[number]

const BIND_RULE = `must be one of ${bindings.join(', ')}, in the schema of a named argument: properties, or properties within one`

/** Elsewhere it would bind nothing, and a model could fill what seems to be bound. */
function isBinding(value: unknown, path: readonly string[]): boolean {
  const is_named = path.length % 2 === 1 && path.slice(0, -1).every((key, at) => at % 2 === 1 || key === 'properties')
  return is_named && path.length > 1 && (bindings as readonly unknown[]).includes(value)
}

/** Keywords whose value maps free names to schemas. */
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'])
/** Keywords whose value is data, not a schema. */
const VALUES = new Set(['const', 'enum', 'default', 'examples', 'example'])
/** Keywords that name other schemas, or change to which schema a reference leads. */
const FOREIGN = new Set(['$id', '$anchor', '$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$recursiveAnchor'])

function decoded(pointer: string): string {
  try {
    return decodeURIComponent(pointer)
  } catch {
    return pointer
  }
}
