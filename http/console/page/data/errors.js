/** Errors as people read them. No DOM. */

/** @typedef {import('../../page_types/fault.ts').Fault} Fault */

/** @type {Partial<Record<string, string>>} */
const SENTENCES = {
  BROADCAST_NOT_FOUND: 'It may be in another project, or the address is wrong.',
  BROADCAST_FINISHED: 'It has finished already: nothing was left to cancel.',
}

/**
 * Turns a thrown value into a fault that views can show.
 *
 * @param {unknown} error
 * @returns {Fault}
 */
export function faultOf(error) {
  return error instanceof Error ? error : new Error(String(error))
}

/**
 * The fault as a sentence.
 *
 * @param {Fault} fault
 */
export function errorText({ code, message }) {
  return SENTENCES[code ?? ''] ?? message
}
