/**
 * The places of knowledge: `knowledge` is the top of the tree, `knowledge/{node}` a folder or a document,
 * `knowledge/imports?status=` the imports, `knowledge/search?q=&inside=` what a search found. No DOM.
 */
import type { Place } from '../data/place.ts'
import { addressOf } from '../data/places.ts'

/** `marks` are words that a search found in the document, separated by spaces. */
export type KnowledgePlace =
  | { page: 'node'; id: string | null; marks: string }
  | { page: 'imports'; status: string | undefined }
  | { page: 'search'; q: string; inside: string | undefined }

export const IMPORT_STATUSES = ['waiting', 'running', 'done', 'failed'] as const

/** Undefined when the address is wrong. */
export function knowledgePlaceOf({ path: [first, ...more], query }: Place): KnowledgePlace | undefined {
  if (more.length > 0) return undefined
  if (first === 'imports') return { page: 'imports', status: IMPORT_STATUSES.find((one) => one === query.status) }
  if (first === 'search') return { page: 'search', q: query.q ?? '', inside: query.inside }
  return { page: 'node', id: first ?? null, marks: query.marks ?? '' }
}

/** The address of a node; of the top without one. */
export function nodePlace(project_id: string, id?: string | null, marks?: string) {
  return addressOf(project_id, 'knowledge', [id ?? undefined], { marks })
}

export function importsPlace(project_id: string, status?: string) {
  return addressOf(project_id, 'knowledge', ['imports'], { status })
}

/** @param inside a folder */
export function searchPlace(project_id: string, q: string, inside?: string) {
  return addressOf(project_id, 'knowledge', ['search'], { q, inside })
}
