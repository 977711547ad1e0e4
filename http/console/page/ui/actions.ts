/**
 * Actions that an agent can take at the moment, for the keyboard and the command palette. Views offer their actions while they are
 * shown; of two with the same keys, the one that was offered last counts.
 */

import { signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { preferences } from '../data/preferences.ts'
import type { IconName } from './pictures/icons.tsx'

/**
 * `keys` are one chord such as `mod+k` or `e`, or two one after the other such as `g i`. `is_hidden` ones are for the
 * keyboard only. `parts` are the text with what a search found in it, `channel` and `at` are beside it; `stays` keeps the palette open.
 * With `while_typing`, it also works in fields.
 */
export type Action = {
  text: string
  channel?: string | undefined
  parts?: { text: string; is_match: boolean }[]
  at?: string
  title?: string
  stays?: boolean
  group: string
  act(): void
  keys?: string
  icon?: IconName
  words?: string
  is_hidden?: boolean
  while_typing?: boolean
}

/** Time for the second key. */
const SECOND_KEY_MS = 1_200

/** All actions that are offered now, in the order of the views. */
export const actions = signal<readonly Action[]>([])
const offers = new Map<object, readonly Action[]>()

/** Offers actions while the component is shown. `causes` are the values that the actions depend on. */
export function useActions(make: () => Action[], causes: readonly unknown[]) {
  const place = useRef({})
  // Before the next key: an effect after the painting would let a quick key act on what was in focus before.
  useLayoutEffect(() => {
    offers.set(place.current, make())
    actions.value = [...offers.values()].flat()
  }, causes)
  useLayoutEffect(
    () => () => {
      offers.delete(place.current)
      actions.value = [...offers.values()].flat()
    },
    [],
  )
}

let first_key: string | undefined
let pressed_at = 0

/** Runs the action of a key. Keys that are typed into a field are left alone, as are keys in a dialog. */
export function press(event: KeyboardEvent) {
  if (event.defaultPrevented || event.isComposing || event.repeat) return
  const chord = chordOf(event)
  // Software that is spoken to types letters wherever the focus is.
  if (chord === undefined || (chord.length === 1 && !preferences.peek().letter_keys)) return
  const is_typing = isField(event.target)
  const is_within_dialog = event.target instanceof Element && event.target.closest('dialog, [popover]') !== null
  const sequence =
    first_key !== undefined && event.timeStamp - pressed_at < SECOND_KEY_MS ? `${first_key} ${chord}` : chord
  const offered = actions.value.filter(({ while_typing }) => (!is_typing && !is_within_dialog) || while_typing)
  const found = offered.findLast(({ keys }) => keys === sequence) ?? offered.findLast(({ keys }) => keys === chord)
  const begins = offered.some(({ keys }) => keys?.startsWith(`${chord} `))
  first_key = !found && begins ? chord : undefined
  pressed_at = event.timeStamp
  if (!found) return
  event.preventDefault()
  found.act()
}

function chordOf({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent) {
  if (['Control', 'Meta', 'Alt', 'Shift'].includes(key)) return undefined
  const letter = key.length === 1 ? key.toLowerCase() : key.replace(/^Arrow/, '').toLowerCase()
  // Shift makes another character of most keys, so it counts with letters and named keys only.
  const is_shifted = shiftKey && (/^[a-z]$/.test(letter) || key.length > 1)
  return [(ctrlKey || metaKey) && 'mod', altKey && 'alt', is_shifted && 'shift', letter].filter(Boolean).join('+')
}

function isField(target: EventTarget | null) {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button', 'submit'].includes(target.type)
  return target.isContentEditable || ['TEXTAREA', 'SELECT'].includes(target.tagName)
}
