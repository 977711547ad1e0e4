/** Converts fields of Meta's webhooks to the types of the API, in whichever way they are written. */
import { type Json, textOf } from '../json.ts'

/** Converts these fields to text: numbers are printed, other types are left out. */
export function withTexts(node: Json, ...fields: string[]): Json {
  const texts = { ...node }
  for (const field of fields) {
    const text = textOf(node[field])
    if (text === null) delete texts[field]
    else texts[field] = text
  }
  return texts
}

const FIRST_SECOND = 1_000_000_000
const LAST_SECOND = 10_000_000_000

/** Unix seconds, as text or number. */
export function timeOf(timestamp: unknown, now: Date): Date {
  const seconds = Number(textOf(timestamp) ?? Number.NaN)
  return seconds >= FIRST_SECOND && seconds < LAST_SECOND ? new Date(seconds * 1_000) : now
}
