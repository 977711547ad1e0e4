/**
 * The types and families of blocks that options offer. They stand here again, checked by the compiler against those of
 * `storage/`, because every command would start later if it loaded that layer for them.
 */
import type { BlockFamily, BlockType } from '../../../storage/mod.ts'

const types: Record<BlockType, true> = {
  personification: true,
  objective: true,
  response_format: true,
  steps: true,
  cases_possible: true,
  do_not: true,
  response_policy: true,
  product_info: true,
  store_info: true,
  reservation_info: true,
  tables_info: true,
  tags: true,
}
const families: Record<BlockFamily, true> = { identity: true, instructions: true, information: true }

export const blockTypeNames = Object.keys(types)
export const blockFamilies = Object.keys(families)
