/** A file of a mail. `size`: bytes after decoding. */
export type Attachment = { filename: string | null; mime_type: string; size: number }
