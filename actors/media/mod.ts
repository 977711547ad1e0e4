/** Uploaded files: their types, the kinds as which they may be sent, their public links. */
export { type Conflict, kindsOf, type MediaKind, mediaKinds, typeOf } from './kinds.ts'
export { isMediaLink, mediaLink } from './links.ts'
export { openUploaded } from './open_file.ts'
export { MAX_FILE_NAME_LENGTH, safeName } from './safe_name.ts'
export { type Sniffed, sniffFile, sniffStart } from './sniff.ts'
export { charsetOf } from './type_names.ts'
