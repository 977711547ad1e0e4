/** The types of the `details` of errors, from the examples of a description: they have every fact that a code can have. */
import { nullableDetails } from '../../../actors/error_details.ts'
import type { Document } from '../../../http/openapi/document.ts'
import { key, resolved, type Schema } from './types.ts'

/** An object type with a property for each code whose errors have details. */
export function detailsTypes(document: Document): string {
  const by_code = new Map<string, Record<string, unknown>>()
  const operations = Object.values<Schema>(document.paths).flatMap((item) => Object.values<Schema>(item))
  for (const { responses } of operations) {
    for (const response of Object.values<Schema>(responses)) {
      const { examples = {} } = resolved(document, response).content?.['application/json'] ?? {}
      for (const { value } of Object.values<Schema>(examples)) {
        const { code, details } = value?.error ?? {}
        if (details !== undefined) by_code.set(code, { ...by_code.get(code), ...details })
      }
    }
  }
  const codes = [...by_code.keys()].sort()
  return `{\n${codes.map((code) => `${code}: ${typeOfExample(code, by_code.get(code))}`).join('\n')}\n}`
}

function typeOfExample(path: string, example: unknown): string {
  const type = Array.isArray(example)
    ? `Array<${typeOfExample(path, example[0])}>`
    : typeof example === 'object' && example !== null
      ? `{ ${Object.entries(example).map(([name, value]) => `${key(name)}?: ${typeOfExample(`${path}.${name}`, value)}`)} }`
      : typeof example
  return nullableDetails.includes(path) ? `${type} | null` : type
}
