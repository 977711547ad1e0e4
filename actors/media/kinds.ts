/** The kinds of files that messages carry, and the file types of each kind. */
import type { Sniffed } from './sniff.ts'
import { bareType, isUnknownType, typesNamed } from './type_names.ts'

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
  const { part_type, filename } = claims
  const type = claims.type === null ? null : bareType(claims.type)
  const claimed = type?.includes('/') && !isUnknownType(type) ? type : undefined
  const is_text = mime_type === 'text/plain'
  const named = claimed === undefined ? undefined : claimedType(mime_type, claimed, filename)
  if (claimed !== undefined && named === undefined) return { conflict: `is ${mime_type}, not ${claimed}` }
  const chosen = named ?? (is_text ? textType(part_type, filename) : mime_type)
  if (type !== null && !type.includes('/') && !kindsOf(chosen).includes(type as MediaKind)) {
    return { conflict: `is ${chosen}, which cannot be sent as ${type}` }
  }
  return { mime_type: chosen }
}

/** The type of the bytes by the name that was claimed; undefined when they are none of this name. */
function claimedType(mime_type: string, claimed: string, filename: string | null): string | undefined {
  const meant = typesNamed(claimed)
  if (meant.includes(mime_type)) return mime_type
  if (!isTextual(mime_type)) return undefined
  // Windows names a table of text after the program that opens it.
  if (meant.includes(EXCEL) && (filename === null || !/\.(?!csv$|txt$|tsv$)[^.]*$/i.test(filename))) return 'text/csv'
  const text = meant.find(isTextual)
  // The letters of a calendar are text, those of a text are no calendar's.
  return mime_type === 'text/plain' || text === 'text/plain' ? text : undefined
}

const EXCEL = 'application/vnd.ms-excel'

function textType(part_type: string | null, filename: string | null): string {
  const part = part_type === null ? undefined : typesNamed(bareType(part_type)).find(isTextual)
  const is_csv = filename !== null && /\.csv$/i.test(filename)
  // A part is often called plain by a program that knows no better.
  if (part && !(part === 'text/plain' && is_csv)) return part
  return is_csv ? 'text/csv' : 'text/plain'
}

/** Types that are letters, which programs and people tell apart. */
function isTextual(type: string): boolean {
  return type.startsWith('text/') || TEXTUAL.has(type) || /^application\/[\w.-]+\+(?:json|xml|yaml)$/.test(type)
}

const TEXTUAL = new Set(
  'json xml yaml x-yaml toml sql x-sql ndjson x-ndjson jsonl javascript'
    .split(' ')
    .map((name) => `application/${name}`),
)
