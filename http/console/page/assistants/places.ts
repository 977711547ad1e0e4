/** The places of assistants. No DOM. */

import type { Place } from '../data/place.ts'
import { addressOf } from '../data/places.ts'

export const PARTS = ['instructions', 'settings', 'tools', 'places'] as const
export type AssistantPart = (typeof PARTS)[number]

/** The list, maybe with the dialog for a new one, or a part of one assistant. `block` is open among its instructions. */
export type AssistantsPlace =
  | { page: 'list'; search: string; is_new: boolean }
  | { page: 'one'; id: string; part: AssistantPart; block: string | null }

/** Undefined when the address is wrong. */
export function assistantsPlaceOf({ path: [id, part, block, ...more], query }: Place): AssistantsPlace | undefined {
  if (more.length > 0) return undefined
  if (id === undefined) return { page: 'list', search: query.search ?? '', is_new: false }
  if (id === 'new') return part === undefined ? { page: 'list', search: '', is_new: true } : undefined
  const known = part === undefined ? 'instructions' : PARTS.find((one) => one === part)
  if (!known || (block !== undefined && known !== 'instructions')) return undefined
  return { page: 'one', id, part: known, block: block ?? null }
}

/** The address of the list, or of a place below it. */
export function assistantsPlace(project_id: string, ...path: string[]) {
  return addressOf(project_id, 'assistants', path)
}
