/** The kinds of files that messages carry, and the file types of each kind. */
import type { Sniffed } from './sniff.ts'

export const mediaKinds = ['image', 'video', 'audio', 'document', 'sticker'] as const
export type MediaKind = (typeof mediaKinds)[number]

/** The kinds as which a file may be sent; any file is a document, too. */
export function kindsOf(mime_type: string): MediaKind[] {
  const [family] = mime_type.split('/')
  if (mime_type === 'image/webp') return ['image', 'sticker', 'document']
  if (family === 'image' || family === 'video' || family === 'audio') return [family, 'document']
  return ['document']
}

/** A claim about a file that its bytes contradict. `message` continues "The file …". */
export type Conflict = { conflict: string }

/**
 * The type of a file, by its bytes. Bytes cannot distinguish kinds of text, so there the claims choose among them: the
 * `type` of the upload (a MIME type, or a kind of ours), the type of its part, its name.
 */
export function typeOf(
  { mime_type }: Sniffed,
  claims: { type: string | null; part_type: string | null; filename: string | null },
): { mime_type: string } | Conflict {
  const { type, part_type, filename } = claims
  const is_text = mime_type === 'text/plain'
  const claimed = type?.includes('/') ? bare(type) : undefined
  if (claimed !== undefined && claimed !== mime_type && !(is_text && isTextual(claimed))) {
    return { conflict: `is ${mime_type}, not ${claimed}` }
  }
  const named = is_text ? textType(claimed, part_type, filename) : mime_type
  if (type !== null && claimed === undefined && !kindsOf(named).includes(type as MediaKind)) {
    return { conflict: `is ${named}, which cannot be sent as ${type}` }
  }
  return { mime_type: named }
}

function textType(claimed: string | undefined, part_type: string | null, filename: string | null): string {
  if (claimed) return claimed
  if (part_type && isTextual(bare(part_type))) return bare(part_type)
  return filename && /\.csv$/i.test(filename) ? 'text/csv' : 'text/plain'
}

function isTextual(type: string): boolean {
  return type.startsWith('text/') || type === 'application/json'
}

function bare(type: string): string {
  return (type.split(';')[0] ?? '').trim().toLowerCase()
}
