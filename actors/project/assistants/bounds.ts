/** Bounds on the growth of a project. What is switched off or archived makes room, because nothing is deleted. */

/** Active ones. */
export const MAX_ASSISTANTS = 1_000
/** Blocks in the catalogue of a project that are not archived, those of its assistants included. */
export const MAX_BLOCKS = 10_000
export const MAX_BLOCKS_OF_ASSISTANT = 50
