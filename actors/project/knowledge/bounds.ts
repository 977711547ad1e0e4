/** Bounds of the knowledge of a project. */

/** Levels of folders: a folder at the top is on the first. */
export const DEEPEST = 16
/** Nodes in one folder, and at the top. */
export const MOST_CHILDREN = 10_000
export const MOST_FOLDERS = 10_000
export const MOST_DOCUMENTS = 200_000
/** Characters of a document. */
export { LONGEST_DOCUMENT as LONGEST_CONTENT } from '../../knowledge/convert/failure.ts'
