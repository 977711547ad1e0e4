/** The places of assistants. No DOM. */

import type { Place } from '../data/place.ts'
import { addressOf } from '../data/places.ts'
import { type TestsPlace, testsPlaceOf } from './tests/places.ts'

export const PARTS = ['instructions', 'settings', 'tools', 'places', 'tests'] as const
export type AssistantPart = (typeof PARTS)[number]

/**
 * The list, maybe with the dialog for a new one, or a part of one assistant. `block` is open among its
 * instructions, and `tests` is the place among its test sets.
 */
export type AssistantsPlace =
  | { page: 'list'; search: string; is_new: boolean }
  | { page: 'one'; id: string; part: AssistantPart; block: string | null; tests: TestsPlace | null }

/** Undefined when the address is wrong. */
export function assistantsPlaceOf({ path: [id, part, ...rest], query }: Place): AssistantsPlace | undefined {
  if (id === undefined) return { page: 'list', search: query.search ?? '', is_new: false }
  if (id === 'new') return part === undefined ? { page: 'list', search: '', is_new: true } : undefined
  const known = part === undefined ? 'instructions' : PARTS.find((one) => one === part)
  if (!known) return undefined
  const one = { page: 'one', id, part: known, block: null, tests: null } as const
  if (known === 'tests') {
    const tests = testsPlaceOf(rest)
    return tests && { ...one, tests }
  }
  const [block = null, ...more] = rest
  return more.length > 0 || (block !== null && known !== 'instructions') ? undefined : { ...one, block }
}

/** The address of the list, or of a place below it. */
export function assistantsPlace(project_id: string, ...path: string[]) {
  return addressOf(project_id, 'assistants', path)
}
