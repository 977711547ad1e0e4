import { fileURLToPath } from 'node:url'

/** The directory of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url))
