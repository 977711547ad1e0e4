/** Bounds of the knowledge of a project. */

/** Levels of folders: a folder at the top is on the first. */
export const MAX_DEPTH = 16
/** Nodes in one folder, and at the top. */
export const MAX_CHILDREN = 10_000
export const MAX_FOLDERS = 10_000
export const MAX_DOCUMENTS = 200_000
/** Characters of a document. */
export { MAX_DOCUMENT_LENGTH as MAX_CONTENT_LENGTH } from '../../knowledge/convert/failure.ts'
