/** Bounds on the growth of a project. */

export const MOST_ASSISTANTS = 1_000
/** Blocks in the catalogue of a project, archived ones and those of its assistants included. */
export const MOST_BLOCKS = 10_000
export const MOST_BLOCKS_OF_ASSISTANT = 50
