/** The answers of a form that a person filled in. No DOM. */

/** @typedef {import('../../../page_types/record.ts').AnyRecord} AnyRecord */

/** Answers of one form that are shown. */
const MOST = 100

/**
 * Each answer with its name, in the order of the form. Answers within an answer (an address) follow with both names.
 * `unread` is the text of answers that are no JSON object; `left_out` counts the answers beyond those.
 *
 * @param {AnyRecord} reply `nfm_reply` of a message
 * @returns {{ answers: [name: string, value: string][], unread?: string, left_out?: number }}
 */
export function answersOf({ response_json, body }) {
  const given = read(response_json)
  if (!isObject(given)) return { answers: [], unread: shown(response_json ?? body ?? '') }
  const { flow_token: _, ...answers } = given
  const lines = Object.entries(answers).flatMap(linesOf)
  return { answers: lines.slice(0, MOST), ...(lines.length > MOST && { left_out: lines.length - MOST }) }
}

/** @param {unknown} json */
function read(json) {
  if (typeof json !== 'string') return json
  try {
    return JSON.parse(json, digits)
  } catch {
    return undefined
  }
}

/**
 * A number as it was written: one of 19 digits would be rounded. Older browsers do not tell.
 *
 * @param {string} _name
 * @param {unknown} value
 * @param {{ source?: string }} [context]
 */
function digits(_name, value, context) {
  const source = context?.source ?? ''
  return typeof value === 'number' && source.length > 15 ? source : value
}

/**
 * @param {[string, unknown]} entry
 * @returns {[string, string][]}
 */
function linesOf([name, value]) {
  if (!isObject(value)) return [[name, shown(value)]]
  return Object.entries(value).map(([part, one]) => [`${name} · ${part}`, shown(one)])
}

/**
 * @param {unknown} value
 * @returns {string}
 */
function shown(value) {
  if (value === true) return 'Yes'
  if (value === false) return 'No'
  if (value === null || value === undefined || value === '') return '–'
  if (Array.isArray(value)) return value.map(shown).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/**
 * @param {unknown} value
 * @returns {value is AnyRecord}
 */
function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
