/** Knowledge in words. No DOM. */
import type { IndexFault } from '../records/knowledge.ts'

/** The languages that can be given, as ISO 639-1 codes. */
export const LANGUAGES = (
  'am ar az be bg bn ca cs da de el en es et eu fa fi fr ga gu he hi hr hu hy id is it ja ka kn ko ku lo lt lv ml mr ms ' +
  'ne nl no or pa pl pt ro ru sk sl sq sr sv ta te th tl tr uk ur vi yi yo zh'
).split(' ')

const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'code' })

export function languageName(code: string) {
  return names.of(code) ?? code
}

/** Advice about a failed import, by its code. */
const REASONS: Partial<Record<string, string>> = {
  unsupported_type: 'It is neither Markdown, plain text, HTML nor PDF.',
  not_text: 'It contains binary data instead of text.',
  empty: 'It has no content.',
  encrypted: 'It is a PDF with a password. Save it without one.',
  broken: 'The file is damaged.',
  no_text: 'It has no text. A scan needs text recognition (OCR) first.',
  made_by_scripts:
    'It has no text until its scripts run. Save it in a browser as a complete page, and import that file.',
  unreadable_text: 'Its fonts do not say which letters they show. Export it again, or run text recognition (OCR).',
  unknown_charset: 'Its letters cannot be told. Save it in UTF-8.',
  too_long: 'It has more than 500,000 characters. Split it.',
  too_large: 'It is larger than 32 MiB.',
  too_complex: 'It takes too much memory or time to convert.',
  timeout: 'The server did not answer in time.',
  name_not_resolved: 'There is no server of this name.',
  address_forbidden: 'The address is not on the public Internet.',
  file_gone: 'The file is kept for seven days only. Import it again.',
  overtaken: 'Somebody changed the text meanwhile. That text stays.',
}

export function importReason(fault: IndexFault | null) {
  if (!fault) return 'It failed without a reason.'
  const http = /^http_(\d+)$/.exec(fault.code)
  if (http) return `The server answered with ${http[1]}.`
  return REASONS[fault.code] ?? fault.message
}

/** The status of a document: its name, and the class of its badge. */
export function statusOf({ index_status, content }: { index_status: string; content?: string | null }) {
  if (index_status === 'failed') return { text: 'Failed', badge: 'failed' }
  if (index_status === 'indexed') return { text: 'Searchable', badge: 'completed' }
  return { text: content === null ? 'Importing' : 'Indexing', badge: 'sending' }
}

export const IMPORT_WORDS: Record<string, { text: string; badge: string }> = {
  waiting: { text: 'Waiting', badge: 'waiting' },
  running: { text: 'Running', badge: 'sending' },
  done: { text: 'Done', badge: 'completed' },
  failed: { text: 'Failed', badge: 'failed' },
}

export function sizeText(bytes: number) {
  if (bytes < 1_000) return `${bytes} B`
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

export function counted(count: number, one: string) {
  return count === 1 ? `1 ${one}` : `${count.toLocaleString('en')} ${one}s`
}
