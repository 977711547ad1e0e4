/** The setting PARLEY_MODELS: language models by name, as JSON or the path of a file with it. */
import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { isObject, isPrice, type ModelEntry, type ModelInput } from '../../../actors/mod.ts'
import { type SettingType, service } from './types.ts'

/** The simulator’s model in a development start. */
export const SIMULATED_MODEL = 'simulated'

const MAX_FILE = 1024 * 1024
const MAX_MODELS = 200
const MAX_CONTEXT = 100_000_000
/** Maximum tokens of an answer where the operator sets none. */
const MAX_OUTPUT = 4_096
/** Characters of a model's name, as in the API. */
const NAME = /^[^\s,\p{Cc}][^,\p{Cc}]{0,98}[^\s,\p{Cc}]$|^[^\s,\p{Cc}]$/u
const READS: readonly ModelInput[] = ['text', 'image', 'audio', 'pdf']
const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))
/** Services that refuse `max_tokens` for their newer models. */
const NEW_FIELD =
  /(?:^|\.)(?:api\.openai\.com|openai\.azure\.com|cognitiveservices\.azure\.com|services\.ai\.azure\.com)$/

export const models: SettingType<ModelEntry[]> = {
  describe: 'JSON, or path of a JSON file',
  parse: (text, env = {}) => {
    const described = parseJson(text)
    const names = Object.keys(described)
    if (names.length === 0) throw new Error('must describe at least one model')
    if (names.length > MAX_MODELS) throw new Error(`must describe at most ${MAX_MODELS} models`)
    const entries = names.map((name) => {
      if (!NAME.test(name)) wrong(name.slice(0, 100), 'a name has 1 to 100 characters and no comma')
      return entryOf(name, new Fields(described[name], name, env))
    })
    const currencies = new Set(entries.flatMap(({ price }) => price?.currency ?? []))
    // Budgets add the costs of all models.
    if (currencies.size > 1)
      throw new Error(`must have prices in one currency, not in ${[...currencies].join(' and ')}`)
    return entries
  },
}

function parseJson(text: string): Record<string, unknown> {
  const is_file = !text.trimStart().startsWith('{')
  const file = resolve(text)
  const place = is_file ? ` at ${file}` : ''
  let json = text
  try {
    if (is_file && statSync(file).size > MAX_FILE) throw new Error('too large')
    if (is_file) json = readFileSync(file, 'utf8')
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message
    throw new Error(
      `must be JSON such as {"gpt-5-mini":{"url":"https://api.openai.com/v1","context":400000}}, or the path of a file with it (${reason}${place})`,
    )
  }
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    throw new Error(`must be valid JSON${place}`)
  }
  if (!isObject(value)) throw new Error(`must be a JSON object${place} whose keys are the names of models`)
  return value
}

function entryOf(name: string, fields: Fields): ModelEntry {
  fields.only(
    'url',
    'key',
    'key_variable',
    'model',
    'context',
    'max_output',
    'price',
    'reads',
    'query',
    'headers',
    'output_field',
    'transcription',
  )
  const url = fields.url('url')
  const context = fields.integer('context', 256, MAX_CONTEXT)
  const price = fields.object('price')
  price?.only('input', 'output', 'currency')
  const transcription = fields.object('transcription')
  transcription?.only('url', 'key', 'key_variable', 'model')
  const is_new = NEW_FIELD.test(new URL(url).hostname)
  return {
    name,
    url,
    key: fields.key(),
    model: fields.text('model') ?? name,
    context,
    max_output: fields.integer('max_output', 16, context, Math.min(MAX_OUTPUT, context)),
    price: price && {
      input: price.decimal('input'),
      output: price.decimal('output'),
      currency: price.oneOf('currency', CURRENCIES, 'USD'),
    },
    reads: fields.list('reads', READS),
    query: fields.texts('query'),
    headers: fields.texts('headers'),
    output_field: fields.oneOf('output_field', OUTPUT_FIELDS, is_new ? 'max_completion_tokens' : 'max_tokens'),
    transcription: transcription && {
      url: transcription.url('url'),
      key: transcription.key(),
      model: transcription.text('model') ?? transcription.missing('model'),
    },
  }
}

const OUTPUT_FIELDS: ReadonlySet<'max_tokens' | 'max_completion_tokens'> = new Set([
  'max_tokens',
  'max_completion_tokens',
])

/** The fields of one object, each refused by its path. Values are not repeated: they may be secret. */
class Fields {
  readonly #value: Record<string, unknown>
  readonly #path: string
  readonly #env: NodeJS.ProcessEnv

  constructor(value: unknown, path: string, env: NodeJS.ProcessEnv) {
    if (!isObject(value)) wrong(path, 'it must be an object')
    this.#value = value as Record<string, unknown>
    this.#path = path
    this.#env = env
  }

  only(...known: string[]): void {
    const strange = Object.keys(this.#value).find((key) => !known.includes(key))
    if (strange !== undefined) this.#wrong(strange.slice(0, 100), `it is no field; the fields are ${known.join(', ')}`)
  }

  missing(key: string): never {
    return this.#wrong(key, 'it is missing')
  }

  object(key: string): Fields | null {
    const value = this.#value[key]
    return value === undefined ? null : new Fields(value, `${this.#path}.${key}`, this.#env)
  }

  text(key: string): string | undefined {
    const value = this.#value[key]
    if (value === undefined) return undefined
    const ok = typeof value === 'string' && /^[^\p{Cc}]{1,2000}$/u.test(value)
    return ok ? value : this.#wrong(key, 'it must be a text of 1 to 2000 characters')
  }

  url(key: string): string {
    const value = this.text(key) ?? this.missing(key)
    try {
      return service.parse(value, this.#env).replace(/\/+$/, '')
    } catch {
      return this.#wrong(key, 'it must be a URL such as https://api.openai.com/v1, without a query and a password')
    }
  }

  /** `key` itself, or the environment variable that `key_variable` names. */
  key(): string | null {
    const key = this.text('key')
    const variable = this.text('key_variable')
    if (variable === undefined) return key ?? null
    if (key !== undefined) this.#wrong('key_variable', 'there is a key, too')
    return this.#variable('key_variable', variable)
  }

  integer(key: string, least: number, most: number, fallback?: number): number {
    const value = this.#value[key] ?? fallback ?? this.missing(key)
    const ok = Number.isInteger(value) && (value as number) >= least && (value as number) <= most
    return ok ? (value as number) : this.#wrong(key, `it must be a whole number from ${least} to ${most}`)
  }

  decimal(key: string): string {
    const value = String(this.#value[key] ?? this.missing(key))
    return isPrice(value) ? value : this.#wrong(key, 'it must be a decimal such as "0.25", with at most six places')
  }

  oneOf<Value extends string>(key: string, known: ReadonlySet<Value>, fallback: Value): Value {
    const value = this.#value[key] ?? fallback
    if (known.has(value as Value)) return value as Value
    return this.#wrong(
      key,
      known.size > 9 ? 'it must be a currency of ISO 4217' : `it must be one of ${[...known].join(', ')}`,
    )
  }

  /** `text` is always among them, and the list of fields that are not set. */
  list(key: string, known: readonly ModelInput[]): ModelInput[] {
    const value = this.#value[key] ?? []
    const ok = Array.isArray(value) && value.every((one) => known.includes(one))
    return ok
      ? [...new Set<ModelInput>(['text', ...value])]
      : this.#wrong(key, `it must be a list of ${known.join(', ')}`)
  }

  /** Texts by name; `{"variable": …}` stands for the value of an environment variable. */
  texts(key: string): Record<string, string> {
    const fields = this.object(key)
    if (!fields) return {}
    const names = Object.keys(fields.#value)
    if (names.length > 20) this.#wrong(key, 'it may have 20 entries')
    return Object.fromEntries(names.map((name) => [name, fields.#textOrVariable(name)]))
  }

  #textOrVariable(name: string): string {
    if (!/^[\w.-]{1,100}$/.test(name)) this.#wrong(name.slice(0, 100), 'a name has letters, digits, and . _ -')
    if (!isObject(this.#value[name])) return this.text(name)!
    const reference = this.object(name)!
    reference.only('variable')
    return this.#variable(`${name}.variable`, reference.text('variable') ?? reference.missing('variable'))
  }

  #variable(key: string, variable: string): string {
    return this.#env[variable] || this.#wrong(key, `the environment variable ${variable} is not set`)
  }

  #wrong(key: string, why: string): never {
    return wrong(`${this.#path}.${key}`, why)
  }
}

function wrong(path: string, why: string): never {
  throw new Error(`has a mistake at ${path}: ${why}`)
}
