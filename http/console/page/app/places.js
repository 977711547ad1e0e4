/**
 * The places of the console, as the part of the address after `#`: `/projects/{id}/{section}/…?…`, and `/ops/…` and
 * `/invitation/{token}`, which belong to no project. A section reads the rest itself. No DOM.
 */

/** @typedef {import('../../page_types/place.ts').Place} Place */

/** The section of a project without one in its address. */
const FIRST_SECTION = 'inbox'

/**
 * The place that the address names.
 *
 * @param {string} hash
 * @returns {Place}
 */
export function placeOf(hash) {
  const [address = '', search = ''] = hash.replace(/^#\/?/, '').split('?')
  const query = Object.fromEntries(new URLSearchParams(search))
  const [first, ...rest] = address.split('/').filter(Boolean).map(decode)
  if (first === undefined) return { section: 'start', path: [], query }
  if (first === 'ops' || first === 'invitation') return { section: first, path: rest, query }
  const [project_id, section = FIRST_SECTION, ...path] = rest
  if (first !== 'projects' || !project_id) return { section: 'nowhere', path: [], query }
  return { section, project_id, path, query }
}

/**
 * The address of a section of a project. Parts and values that are undefined or empty are left out.
 *
 * @param {string} project_id
 * @param {string} [section]
 * @param {(string | undefined)[]} [path]
 * @param {Record<string, string | undefined>} [query]
 */
export function addressOf(project_id, section = FIRST_SECTION, path = [], query = {}) {
  const parts = ['projects', project_id, section, ...path].filter((part) => part !== undefined && part !== '')
  const given = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : []))
  const search = given.length > 0 ? `?${new URLSearchParams(given)}` : ''
  return `#/${parts.map((part) => encodeURIComponent(String(part))).join('/')}${search}`
}

/**
 * A malformed escape stays unchanged and will match nothing.
 *
 * @param {string} text
 */
function decode(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Asked before another address is followed; false stays. Views with unsaved changes are here. @type {Set<(hash: string) => boolean>} */
export const leaving = new Set()
