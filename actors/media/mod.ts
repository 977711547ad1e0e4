/** Uploaded files: what they are, what they may be sent as, where outsiders find them. */
export { type Conflict, kindsOf, type MediaKind, mediaKinds, typeOf } from './kinds.ts'
export { isMediaLink, mediaLink } from './links.ts'
export { openUploaded } from './open_file.ts'
export { type Sniffed, sniffFile, sniffStart } from './sniff.ts'
