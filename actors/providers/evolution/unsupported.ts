/** The fields of a kind of message that no type of ours expresses, without what only the phone can use. */
import { isObject, type Json } from '../json.ts'

/** Keys, hashes and previews: long, and of no use to people. */
const BYTES = /thumbnail|sha256|mediakey|secret|sidecar|waveform|^enc|contextinfo|directpath|^scans/i
/** Deeper values are left out. */
const MAX_DEPTH = 8

export function fieldsOf(part: Json, depth = 0): Json {
  const kept = Object.entries(part).filter(([name, value]) => value !== null && !BYTES.test(name))
  return Object.fromEntries(kept.map(([name, value]) => [name, plain(value, depth + 1)]))
}

function plain(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth > MAX_DEPTH) return undefined
  if (Array.isArray(value)) return value.map((each) => plain(each, depth + 1))
  return isObject(value) ? fieldsOf(value, depth) : value
}
