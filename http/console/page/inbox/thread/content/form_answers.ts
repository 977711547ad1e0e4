/** The answers of a form that a person filled in. No DOM. */
import type { AnyRecord } from '../../../records/record.ts'

/** Answers of one form that are shown. */
const MAX = 100

/**
 * Each answer with its name, in the order of the form. Answers within an answer (an address) follow with both names.
 * `unread` is the text of answers that are no JSON object; `left_out` counts the answers beyond those.
 *
 * @param reply `nfm_reply` of a message
 */
export function answersOf({ response_json, body }: AnyRecord): {
  answers: [name: string, value: string][]
  unread?: string
  left_out?: number
} {
  const fields = read(response_json)
  if (!isObject(fields)) return { answers: [], unread: asText(response_json ?? body ?? '') }
  const { flow_token: _, ...answers } = fields
  const lines = Object.entries(answers).flatMap(linesOf)
  return { answers: lines.slice(0, MAX), ...(lines.length > MAX && { left_out: lines.length - MAX }) }
}

function read(json: unknown) {
  if (typeof json !== 'string') return json
  try {
    return JSON.parse(json, digits)
  } catch {
    return undefined
  }
}

/** A number as it was written: one of 19 digits would be rounded. Older browsers do not tell. */
function digits(_name: string, value: unknown, context?: { source?: string }) {
  const source = context?.source ?? ''
  return typeof value === 'number' && source.length > 15 ? source : value
}

function linesOf([name, value]: [string, unknown]): [string, string][] {
  if (!isObject(value)) return [[name, asText(value)]]
  return Object.entries(value).map(([part, one]) => [`${name} · ${part}`, asText(one)])
}

function asText(value: unknown): string {
  if (value === true) return 'Yes'
  if (value === false) return 'No'
  if (value === null || value === undefined || value === '') return '–'
  if (Array.isArray(value)) return value.map(asText).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function isObject(value: unknown): value is AnyRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
