/**
 * The places of the console, as the part of the address after `#`: `/projects/{id}/{section}/…?…`, and `/ops/…` and
 * `/invitation/{token}`, which belong to no project. A section reads the rest itself. No DOM.
 */
import type { Place } from './place.ts'

/** The section of a project without one in its address. */
const FIRST_SECTION = 'inbox'

/** The place that the address names. */
export function placeOf(hash: string): Place {
  const [address = '', search = ''] = hash.replace(/^#\/?/, '').split('?')
  const query = Object.fromEntries(new URLSearchParams(search))
  const [first, ...rest] = address.split('/').filter(Boolean).map(decode)
  if (first === undefined) return { section: 'start', path: [], query }
  if (first === 'ops' || first === 'invitation') return { section: first, path: rest, query }
  const [project_id, section = FIRST_SECTION, ...path] = rest
  if (first !== 'projects' || !project_id) return { section: 'nowhere', path: [], query }
  return { section, project_id, path, query }
}

/** The address of a section of a project. Parts and values that are undefined or empty are left out. */
export function addressOf(
  project_id: string,
  section: string = FIRST_SECTION,
  path: (string | undefined)[] = [],
  query: Record<string, string | undefined> = {},
) {
  const parts = ['projects', project_id, section, ...path].filter((part) => part !== undefined && part !== '')
  const fields = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : []))
  const search = fields.length > 0 ? `?${new URLSearchParams(fields)}` : ''
  return `#/${parts.map((part) => encodeURIComponent(String(part))).join('/')}${search}`
}

/** A malformed escape stays unchanged and will match nothing. */
function decode(text: string) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Asked before another address is followed; false stays. Views with unsaved changes are here. */
export const leaving: Set<(hash: string) => boolean> = new Set()
