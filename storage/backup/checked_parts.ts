/**
 * Checks the JSON parts of an archive. Anybody who can write an archive without encryption can also make its checksums fit,
 * so its texts are checked for their form before they are used, and are never a part of SQL (`target.ts`).
 *
 * Fields that this release does not know are allowed: a later release may add some.
 */
import * as v from 'valibot'
import { BackupError, damaged } from './backup_error.ts'
import { FORMAT, HEAD, type Head, MANIFEST, type Manifest, SETTINGS, type Settings } from './format.ts'

/** PostgreSQL's limit for a name. */
const NAME_BYTES = 63

const name = v.pipe(
  v.string(),
  v.check((text) => text !== '' && Buffer.byteLength(text) <= NAME_BYTES && !text.includes('\0'), 'not a name'),
)
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
/** A release, a version of PostgreSQL, the id of a store. */
const word = v.pipe(v.string(), v.regex(/^[\w.:+~-]{1,100}$/))
const moment = v.pipe(
  v.string(),
  v.regex(/^\d{4,6}-\d\d-\d\dT[\d:.]{8,12}Z$/),
  v.check((text) => !Number.isNaN(Date.parse(text)), 'not a moment'),
)
const sealed = v.pipe(v.string(), v.maxLength(100_000), v.regex(/^[\w:-]*$/))

/** A list in which no key is there twice. */
function distinct<Schema extends v.GenericSchema>(schema: Schema, key: (item: v.InferOutput<Schema>) => unknown) {
  return v.pipe(
    v.array(schema),
    v.check((items) => new Set(items.map(key)).size === items.length, 'one of them is there twice'),
  )
}

/** A restore reads the day in its name only. */
const part = v.looseObject({ name, bound: v.string(), options: v.nullable(v.array(v.string())) })
const table = v.looseObject({
  name,
  columns: distinct(name, String),
  parts: v.nullable(distinct(part, ({ name }) => name)),
})
const sequence = v.looseObject({
  name,
  value: v.pipe(
    v.string(),
    v.regex(/^-?\d{1,19}$/),
    v.check((text) => BigInt.asIntN(64, BigInt(text)) === BigInt(text), 'too large'),
  ),
  is_called: v.boolean(),
})
const sealedKey = v.looseObject({
  id: v.nullable(v.pipe(v.string(), v.regex(/^\w{1,64}$/))),
  values: count,
  samples: v.array(
    v.looseObject({
      record_id: v.string(),
      name: v.pipe(v.string(), v.regex(/^[a-z_]{1,63}$/)),
      sealed,
    }),
  ),
})

const headSchema = v.looseObject({
  format: v.literal(FORMAT),
  parley: word,
  postgres: word,
  snapshot_at: moment,
  migrations: distinct(v.pipe(v.string(), v.regex(/^\w{1,200}$/)), String),
  canary: v.nullable(sealed),
  tables: distinct(table, ({ name }) => name),
  sequences: distinct(sequence, ({ name }) => name),
  sealed: v.optional(distinct(sealedKey, ({ id }) => id)),
  blob_store: v.optional(v.nullable(word)),
})

/** An object whose values have the schema. Its names are free. */
function valuesOf(schema: v.GenericSchema) {
  return v.custom<object>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      Object.values(value).every((each) => v.is(schema, each)),
  )
}

const manifestSchema = v.looseObject({
  finished_at: moment,
  tables: valuesOf(v.looseObject({ rows: count, bytes: count })),
  blobs: v.looseObject({ count, bytes: count, missing: count }),
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
})

/** Settings become lines of an environment file, so their names are those of Parley. */
const settingsSchema = v.pipe(
  valuesOf(v.string()),
  v.check((settings) => Object.keys(settings).every((name) => /^PARLEY_[A-Z0-9_]{1,60}$/.test(name)), 'not a setting'),
)

/** @throws {BackupError} when the part does not have its form, or the format is of another release */
export function checkedHead(bytes: Buffer): Head {
  const value = parsed(HEAD, bytes) as { format?: unknown } | null
  const format = value?.format
  if (typeof format === 'number' && format !== FORMAT) {
    throw new BackupError(`The archive has the format ${format}, which this release does not know.`)
  }
  return checked(HEAD, headSchema, value) as Head
}

/** @throws {BackupError} when the part does not have its form */
export function checkedSettings(bytes: Buffer): Settings {
  return checked(SETTINGS, settingsSchema, parsed(SETTINGS, bytes)) as Settings
}

/** @throws {BackupError} when the part does not have its form */
export function checkedManifest(bytes: Buffer): Manifest {
  return checked(MANIFEST, manifestSchema, parsed(MANIFEST, bytes)) as Manifest
}

function parsed(name: string, bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw damaged(`${name} is not JSON`)
  }
}

function checked(name: string, schema: v.GenericSchema, value: unknown): unknown {
  const result = v.safeParse(schema, value, { abortEarly: true })
  if (result.success) return result.output
  const place = v.getDotPath(result.issues[0])
  throw damaged(place === null ? `${name} does not have its form` : `${place} of ${name} does not have its form`)
}
