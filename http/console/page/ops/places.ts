/** The places of the operators' part: `#/ops/{page}/{id}?…`. No DOM. */
import type { Place } from '../data/place.ts'

type OpsPage = 'cluster' | 'backlogs' | 'channels' | 'webhooks' | 'dead-letters' | 'tokens' | 'users' | 'audit'

export const OPS_PAGES: { page: OpsPage; name: string }[] = [
  { page: 'cluster', name: 'Cluster' },
  { page: 'backlogs', name: 'Backlogs' },
  { page: 'channels', name: 'Channels' },
  { page: 'webhooks', name: 'Webhooks' },
  { page: 'dead-letters', name: 'Dead letters' },
  { page: 'tokens', name: 'Tokens' },
  { page: 'users', name: 'Users' },
  { page: 'audit', name: 'Audit' },
]

/** The page of a place, undefined when the address is wrong. */
export function opsPageOf({ path: [page = 'cluster', id, ...more] }: Place) {
  const known = OPS_PAGES.find((one) => one.page === page)
  return more.length > 0 || (id !== undefined && page !== 'dead-letters') ? undefined : known
}

/** The address of a page. Values that are undefined or empty are left out. */
export function opsPlace(page: string, query: Record<string, string | undefined> = {}, id?: string) {
  const fields = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : []))
  const search = fields.length > 0 ? `?${new URLSearchParams(fields)}` : ''
  const path = page === 'cluster' ? '' : `/${page}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`
  return `#/ops${path}${search}`
}
