/**
 * Short messages at the edge of the page: the result of an action, with a way to take it back, or a failure. Anything may
 * call `toast`; the frame shows them (`toasts.js`).
 */
import { signal } from '@preact/signals'
import { errorText } from '../data/errors.js'

/** @typedef {import('../../page_types/fault.ts').Fault} Fault */
/** @typedef {{ id: number, text: string, is_bad: boolean, act?: (() => void) | undefined, act_text: string }} Toast */

const SHOWN_MS = 6_000
/** A failure has to be read. */
const BAD_SHOWN_MS = 12_000
const MOST = 4

export const toasts = signal(/** @type {Toast[]} */ ([]))
let last = 0

/**
 * Shows a message for some seconds. With `undo`, it has a button that takes the action back.
 *
 * @public for the actions of sections
 * @param {string} text
 * @param {{ undo?: () => void, act?: () => void, act_text?: string, is_bad?: boolean }} [more]
 */
export function toast(text, { undo, act = undo, act_text = 'Undo', is_bad = false } = {}) {
  const id = ++last
  toasts.value = [...toasts.value, { id, text, is_bad, act, act_text }].slice(-MOST)
  setTimeout(() => dismiss(id), is_bad ? BAD_SHOWN_MS : SHOWN_MS)
}

/**
 * Shows why an action failed. `what` says what did not happen, without a full stop.
 *
 * @public for the actions of sections
 * @param {string} what
 * @param {Fault} fault
 */
export function toastFault(what, fault) {
  toast(`${what}. ${errorText(fault)}`, { is_bad: true })
}

/**
 * @param {number} id
 * @param {() => void} [act]
 */
export function dismiss(id, act) {
  toasts.value = toasts.value.filter((one) => one.id !== id)
  act?.()
}
