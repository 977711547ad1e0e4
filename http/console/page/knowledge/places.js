/**
 * The places of knowledge: `knowledge` is the top of the tree, `knowledge/{node}` a folder or a document,
 * `knowledge/imports?status=` the imports, `knowledge/search?q=&inside=` what a search found. No DOM.
 */
import { addressOf } from '../app/places.js'

/** @typedef {import('../../page_types/place.ts').Place} Place */
/**
 * `marks` are words that a search found in the document, separated by spaces.
 *
 * @typedef {{ page: 'node', id: string | null, marks: string }
 *   | { page: 'imports', status: string | undefined }
 *   | { page: 'search', q: string, inside: string | undefined }} KnowledgePlace
 */

export const IMPORT_STATUSES = /** @type {const} */ (['waiting', 'running', 'done', 'failed'])

/**
 * Undefined when the address is wrong.
 *
 * @param {Place} place
 * @returns {KnowledgePlace | undefined}
 */
export function knowledgePlaceOf({ path: [first, ...more], query }) {
  if (more.length > 0) return undefined
  if (first === 'imports') return { page: 'imports', status: IMPORT_STATUSES.find((one) => one === query.status) }
  if (first === 'search') return { page: 'search', q: query.q ?? '', inside: query.inside }
  return { page: 'node', id: first ?? null, marks: query.marks ?? '' }
}

/**
 * The address of a node; of the top without one.
 *
 * @param {string} project_id
 * @param {string | null} [id]
 * @param {string} [marks]
 */
export function nodePlace(project_id, id, marks) {
  return addressOf(project_id, 'knowledge', [id ?? undefined], { marks })
}

/**
 * @param {string} project_id
 * @param {string} [status]
 */
export function importsPlace(project_id, status) {
  return addressOf(project_id, 'knowledge', ['imports'], { status })
}

/**
 * @param {string} project_id
 * @param {string} q
 * @param {string} [inside] a folder
 */
export function searchPlace(project_id, q, inside) {
  return addressOf(project_id, 'knowledge', ['search'], { q, inside })
}
