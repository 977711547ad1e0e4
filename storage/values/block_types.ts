/** The types of instruction blocks. All other facts about a type follow from this table. */

export type BlockFamily = 'identity' | 'instructions' | 'information'

type BlockTypeFacts = {
  /** An assistant has at most one block of each type of the family `identity`. */
  family: BlockFamily
  /** False for the catalogue: only operators write its content. */
  content_writable: boolean
}

export const blockTypes = {
  personification: { family: 'identity', content_writable: true },
  objective: { family: 'identity', content_writable: true },
  response_format: { family: 'identity', content_writable: true },
  steps: { family: 'instructions', content_writable: true },
  cases_possible: { family: 'instructions', content_writable: true },
  do_not: { family: 'instructions', content_writable: true },
  response_policy: { family: 'instructions', content_writable: true },
  product_info: { family: 'information', content_writable: false },
  store_info: { family: 'information', content_writable: false },
  reservation_info: { family: 'information', content_writable: false },
  tables_info: { family: 'information', content_writable: false },
  tags: { family: 'information', content_writable: false },
} as const satisfies Record<string, BlockTypeFacts>

export type BlockType = keyof typeof blockTypes

export const blockTypeNames = Object.keys(blockTypes) as [BlockType, ...BlockType[]]

export const blockFamilies = ['identity', 'instructions', 'information'] as const satisfies BlockFamily[]

/** The types of a family. */
export function typesOfFamily(family: BlockFamily): BlockType[] {
  return blockTypeNames.filter((type) => blockTypes[type].family === family)
}
