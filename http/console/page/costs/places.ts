/** The places of costs: the sums of a month, by one grouping. No DOM. */

import type { Place } from '../data/place.ts'
import { addressOf } from '../data/places.ts'

export const GROUPS = ['day', 'category', 'channel', 'broadcast'] as const
export type CostGroup = (typeof GROUPS)[number]

/** No sums are asked for that begin before 1970. */
const FIRST = '1970-01'

/** `month` is such as `2026-11`, in UTC. */
export type CostsPlace = { by: CostGroup; month: string }

/** The present month without a past one in the address. Undefined when the address is wrong. */
export function costsPlaceOf({ path, query }: Place, now: Date = new Date()): CostsPlace | undefined {
  if (path.length > 0) return undefined
  const by = GROUPS.find((group) => group === query.by) ?? 'day'
  const present = monthOf(now)
  const month = query.month ?? ''
  const is_past = /^\d{4}-(0[1-9]|1[0-2])$/.test(month) && month >= FIRST && month < present
  return { by, month: is_past ? month : present }
}

/** The address of the sums of a month; of the present one without `month`. */
export function costsPlace(project_id: string, { by, month }: Partial<CostsPlace> = {}) {
  return addressOf(project_id, 'costs', [], { by, month })
}

/** Such as `2026-11`. */
export function monthOf(at: Date) {
  return at.toISOString().slice(0, 7)
}

/** The month that is `months` after this one. */
export function monthAfter(month: string, months: number) {
  const at = new Date(`${month}-01T00:00:00Z`)
  at.setUTCMonth(at.getUTCMonth() + months)
  return monthOf(at)
}

/** The first moment of the month, and that of the next one: what the sums of the month are asked for with. */
export function periodOf(month: string) {
  return { since: `${month}-01T00:00:00Z`, until: `${monthAfter(month, 1)}-01T00:00:00Z` }
}
