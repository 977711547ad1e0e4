/** A file of a mail. `size`: bytes after decoding. `bytes`: missing where only the size is known. */
export type Attachment = { filename: string | null; mime_type: string; size: number; bytes?: Uint8Array }
