/**
 * Short messages at the edge of the page: the result of an action, with a way to take it back, or a failure. Anything may
 * call `toast`; the frame shows them (`toasts.tsx`).
 */

import { signal } from '@preact/signals'
import { errorText } from '../../data/errors.ts'
import type { Fault } from '../../records/fault.ts'

type Toast = { id: number; text: string; is_bad: boolean; act?: (() => void) | undefined; act_text: string }

const SHOWN_MS = 6_000
/** A failure has to be read. */
const BAD_SHOWN_MS = 12_000
const MAX = 4

export const toasts = signal<Toast[]>([])
let last = 0
let is_held = false
const timers = new Map<number, ReturnType<typeof setTimeout>>()

/**
 * Shows a message for some seconds. With `undo`, it has a button that takes the action back. A failure with a decision
 * (`act`) stays until the agent has made it.
 *
 * @public for the actions of sections
 */
export function toast(
  text: string,
  {
    undo,
    act = undo,
    act_text = 'Undo',
    is_bad = false,
  }: { undo?: () => void; act?: () => void; act_text?: string; is_bad?: boolean } = {},
) {
  const id = ++last
  toasts.value = [...toasts.value, { id, text, is_bad, act, act_text }].slice(-MAX)
  endLater()
}

/**
 * While the agent points at a message or has the focus in one, all of them stay; then each has its whole time again.
 */
export function hold(is_wanted: boolean) {
  is_held = is_wanted
  if (is_wanted) clearTimers()
  else endLater()
}

function endLater() {
  if (is_held) return
  for (const { id, is_bad, act } of toasts.peek()) {
    if (timers.has(id) || (is_bad && act)) continue
    timers.set(
      id,
      setTimeout(() => dismiss(id), is_bad ? BAD_SHOWN_MS : SHOWN_MS),
    )
  }
}

function clearTimers() {
  for (const timer of timers.values()) clearTimeout(timer)
  timers.clear()
}

/**
 * Shows why an action failed. `what` says what did not happen, without a full stop.
 *
 * @public for the actions of sections
 */
export function toastFault(what: string, fault: Fault) {
  toast(`${what}. ${errorText(fault)}`, { is_bad: true })
}

export function dismiss(id: number, act?: () => void) {
  clearTimeout(timers.get(id))
  timers.delete(id)
  toasts.value = toasts.value.filter((one) => one.id !== id)
  act?.()
}
