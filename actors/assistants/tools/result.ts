/** Results of tools: data within a bound. */
import { linksIn } from '../answer/links.ts'
import type { ToolResult } from './tool.ts'

/** Bytes of a result as the model gets it. */
const MAX_RESULT_BYTES = 16_384
/** Links of a result that an answer may have. */
const MAX_LINKS = 200

/** A result that the model may use, as JSON. Lists are shortened at their end until they fit. */
export function found(value: unknown, more: Omit<ToolResult, 'result' | 'links'> = {}): ToolResult {
  const text = JSON.stringify(value)
  const result = fitting(text)
  return { result, links: linksIn(unescaped(result)).slice(0, MAX_LINKS), ...more }
}

/** A result that says what is wrong. It repeats nothing that a stranger could have written as a link. */
export function wrong(code: string, message: string, details?: unknown): ToolResult {
  const result = fitting(JSON.stringify({ error: { code, message, ...(details !== undefined && { details }) } }))
  return { result, error: { code, message: message.slice(0, 500).toWellFormed() }, links: [] }
}

const CUT = ' … (cut: the result is longer)'

/** A text that is too long is no JSON any more, and says so. */
function fitting(text: string): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= MAX_RESULT_BYTES) return text
  const kept = bytes.subarray(0, MAX_RESULT_BYTES - Buffer.byteLength(CUT))
  return new TextDecoder().decode(kept, { stream: true }) + CUT
}

/** Line breaks and slashes as they are meant, so that they end links or belong to them. */
function unescaped(json: string): string {
  return json
    .replaceAll('\\n', '\n')
    .replaceAll('\\r', '\n')
    .replaceAll('\\t', '\t')
    .replaceAll('\\"', '"')
    .replaceAll('\\/', '/')
}
