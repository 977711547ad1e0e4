/** The places of the board: `board/{pipeline}?{filter}`. No DOM. */

import type { Place } from '../data/place.ts'
import { addressOf } from '../data/places.ts'
import type { BoardFilter } from './records.ts'

const FIELDS: readonly (keyof BoardFilter)[] = ['assigned_to', 'tag_id', 'priority', 'search']

export function boardPlaceOf({ path: [pipeline_id], query }: Place): {
  pipeline_id: string | undefined
  filter: BoardFilter
} {
  const filter: BoardFilter = {}
  for (const field of FIELDS) {
    const value = query[field]
    if (value) filter[field] = value
  }
  return { pipeline_id, filter }
}

export function boardPlace(
  project_id: string,
  pipeline_id: string | undefined,
  filter: { [Field in keyof BoardFilter]: string | undefined },
) {
  return addressOf(project_id, 'board', [pipeline_id], { ...filter })
}
