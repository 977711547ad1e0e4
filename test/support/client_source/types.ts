/** Writes JSON Schemas as types of TypeScript. */

import { choicesOf } from '../../../http/openapi/choices.ts'
import type { Document } from '../../../http/openapi/document.ts'

// biome-ignore lint/suspicious/noExplicitAny: a schema is JSON
export type Schema = any

const SCALARS: Record<string, string> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
}

export const REFERENCE = '#/components/schemas/'

/** @throws {Error} for a schema of a kind that the description has not had so far */
export function typeOf(schema: Schema): string {
  if (schema === true || Object.keys(schema).every((keyword) => keyword === 'description')) return 'unknown'
  if (schema.$ref !== undefined) return schema.$ref.slice(REFERENCE.length)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value: unknown) => JSON.stringify(value)).join(' | ')
  const choices = choicesOf(schema)
  if (choices !== undefined) return [...new Set(choices.map(typeOf))].join(' | ')
  if (schema.not !== undefined) return 'never'
  if (schema.contentMediaType === 'application/octet-stream') return 'Blob'
  const types = [schema.type].flat()
  return types.map((type) => typeOfKind(type, schema)).join(' | ')
}

function typeOfKind(type: string | undefined, schema: Schema): string {
  if (type === 'object') return objectOf(schema)
  if (type === 'array') return `Array<${typeOf(schema.items ?? {})}>`
  const scalar = SCALARS[type ?? '']
  if (scalar === undefined) throw new Error(`no type for the schema ${JSON.stringify(schema)}`)
  return scalar
}

function objectOf({ properties = {}, required = [], additionalProperties: others }: Schema): string {
  const names = Object.keys(properties)
  const is_open = others !== undefined && others !== false
  if (names.length === 0) return `Record<string, ${is_open ? typeOf(others) : 'unknown'}>`
  const fields = names.map((name) => {
    const mark = required.includes(name) ? '' : '?'
    // The exact option of the compiler would refuse the undefined of optional values.
    const type = `${typeOf(properties[name])}${mark && ' | undefined'}`
    return `${comment(describe(properties[name]))}${key(name)}${mark}: ${type}`
  })
  return `{\n${[...fields, ...(is_open ? ['[field: string]: unknown'] : [])].join('\n')}\n}`
}

function describe({ description, deprecated, format, default: fallback }: Schema): string {
  const parts = [
    deprecated ? description.replace('Deprecated: ', '@deprecated ') : description,
    format === 'date-time' ? 'ISO 8601, in UTC' : undefined,
  ]
  if (fallback !== undefined) parts.push(`${JSON.stringify(fallback)} by default`)
  return parts
    .filter((part) => part !== undefined)
    .map((part) => (/[.!?)]$/.test(part) ? part : `${part}.`))
    .join(' ')
}

/** A name of a field, in quotes where the language needs them. */
export function key(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
}

const LINE = 112

/** A comment of its own lines; nothing for an empty text. */
export function comment(text: string): string {
  if (text === '') return ''
  const lines = text
    .replaceAll('*/', '* /')
    .split('\n')
    .flatMap((line) => wrapped(line))
  return lines.length === 1 ? `/** ${lines[0]} */\n` : `/**\n${lines.map((line) => ` * ${line}`).join('\n')}\n */\n`
}

function wrapped(text: string): string[] {
  const lines: string[] = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!
    if (line !== '' && line.length + word.length >= LINE) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines
}

/** `list_contacts` becomes `ListContacts`. */
export function pascal(id: string): string {
  return id.replace(/(?:^|[._ -])(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** The type of a schema under a name. */
export function declarationOf(name: string, schema: Schema): string {
  return `${comment(schema.description ?? '')}export type ${name} = ${typeOf(schema)}\n\n`
}

/** The schema of a component of any kind, for a reference to it. */
export function resolved<Part>(document: Document, part: Part & { $ref?: string }): Part {
  if (part.$ref === undefined) return part
  return part.$ref
    .slice(2)
    .split('/')
    .reduce((inside: Schema, name) => inside[name], document)
}
