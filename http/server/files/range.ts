/** The part of a file that a request asks for (RFC 9110, 14). */
import type { ByteRange } from '../../../storage/mod.ts'

export type RangeHeaders = { range: string; if_range: string }

/**
 * Returns the part, `whole` when none was asked for or the header may be ignored, or `unsatisfiable`. Only one range is
 * served; a request for several gets the whole, as RFC 9110 allows.
 */
export function rangeOf(
  { range, if_range }: RangeHeaders,
  { size, etag }: { size: number; etag: string | null },
): ByteRange | 'whole' | 'unsatisfiable' {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range) ?? []
  if (first === '' && last === '') return 'whole'
  // The client's part may be of another version. Dates are never given out, so one never matches.
  if (if_range !== '' && if_range !== etag) return 'whole'
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return 'whole'
  return start >= size ? 'unsatisfiable' : { start, end }
}

/**
 * True when the client has this version already (`If-None-Match`). The quotes of a tag occur nowhere inside another one, so
 * the list is searched as it is: a header of commas would cost a hundred times as much to take apart.
 */
export function isKnown(if_none_match: string, etag: string | null): boolean {
  if (etag === null || if_none_match === '') return false
  return if_none_match.includes(etag) || if_none_match === '*'
}
