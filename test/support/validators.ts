/**
 * Compares values with the schemas of the descriptions. A long run prepares the code of all of them (`test/run/describe_apis.ts`),
 * because making it takes a process half a second; other runs make what they use.
 */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { _, Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import standalone from 'ajv/dist/standalone/index.js'
import type { ApiName } from '../../http/openapi/apis.ts'
import { described } from './described.ts'
import { formats } from './formats.ts'
import { descriptionsDirectory } from './prepared_descriptions.ts'

/** An API, with ` closed` for its responses without further properties. */
export type Schemas = ApiName | `${ApiName} closed`

const require = createRequire(import.meta.url)
const ajvs = new Map<Schemas, Ajv2020>()
const prepared = new Map<Schemas, Record<string, ValidateFunction>>()

/** The faults of a value. `pointer`: the place of its schema in the description. */
export function faultsOf(schemas: Schemas, pointer: string, value: unknown): string[] {
  const validate = preparedOf(schemas)?.[pointer] ?? compile(schemas, pointer)
  if (validate(value)) return []
  return validate.errors!.map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}

/** Returns a CommonJS module that exports the validators of these schemas under their pointers. */
export function validatorsCode(schemas: Schemas, pointers: readonly string[]): string {
  const references = Object.fromEntries(pointers.map((pointer) => [pointer, referenceOf(schemas, pointer)]))
  return standalone.default(ajvOf(schemas), references)
}

/** Returns the name of the file with this code. */
export const validatorsFile = (schemas: Schemas): string => `${schemas.replace(' ', '_')}.cjs`

function preparedOf(schemas: Schemas): Record<string, ValidateFunction> | undefined {
  const directory = descriptionsDirectory()
  if (directory === undefined) return undefined
  const known = prepared.get(schemas) ?? require(join(directory, validatorsFile(schemas)))
  prepared.set(schemas, known)
  return known
}

function compile(schemas: Schemas, pointer: string): ValidateFunction {
  const validate = ajvOf(schemas).getSchema(referenceOf(schemas, pointer))
  if (validate === undefined) throw new Error(`the description ${schemas} has no ${pointer}`)
  return validate as ValidateFunction
}

const documentId = (schemas: Schemas) => `${schemas.replace(' ', '-')}.json`
const referenceOf = (schemas: Schemas, pointer: string) => `${documentId(schemas)}#${pointer}`

function ajvOf(schemas: Schemas): Ajv2020 {
  const known = ajvs.get(schemas)
  if (known !== undefined) return known
  const [api, is_closed] = schemas.split(' ') as [ApiName, string?]
  // The linters look at the schemas, and most are used a few times.
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateSchema: false,
    code: { optimize: false, source: true, formats: _`require(${require.resolve('./formats.ts')}).formats` },
    formats,
  })
  const { paths, components } = described(api)
  ajv.addSchema(is_closed ? close({ paths, components }) : { paths, components }, documentId(schemas))
  ajvs.set(schemas, ajv)
  return ajv
}

/** Returns the schema without further properties, except where it allows them. */
function close<Schema>(schema: Schema): Schema {
  if (typeof schema !== 'object' || schema === null) return schema
  if (Array.isArray(schema)) return schema.map(close) as Schema
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, close(value)]))
  const { type, properties } = schema as { type?: unknown; properties?: unknown }
  // A property of a record may be called `type`.
  const is_object =
    (typeof type === 'string' || Array.isArray(type)) && type.includes('object') && typeof properties === 'object'
  return (is_object ? { additionalProperties: false, ...inner } : inner) as Schema
}
