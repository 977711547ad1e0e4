/** The places of the board: `board/{pipeline}?{filter}`. No DOM. */
import { addressOf } from '../app/places.js'

/** @typedef {import('../../page_types/board.ts').BoardFilter} BoardFilter */

/** @type {readonly (keyof BoardFilter)[]} */
const FIELDS = ['assigned_to', 'tag_id', 'priority', 'search']

/**
 * @param {import('../../page_types/place.ts').Place} place
 * @returns {{ pipeline_id: string | undefined, filter: BoardFilter }}
 */
export function boardPlaceOf({ path: [pipeline_id], query }) {
  /** @type {BoardFilter} */
  const filter = {}
  for (const field of FIELDS) {
    const value = query[field]
    if (value) filter[field] = value
  }
  return { pipeline_id, filter }
}

/**
 * @param {string} project_id
 * @param {string | undefined} pipeline_id
 * @param {{ [Field in keyof BoardFilter]: string | undefined }} filter
 */
export function boardPlace(project_id, pipeline_id, filter) {
  return addressOf(project_id, 'board', [pipeline_id], { ...filter })
}
