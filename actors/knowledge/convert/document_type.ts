/** The type of a document, by its first bytes. Names and announced types are claims and are ignored. */
import { sniffStart } from '../../media/mod.ts'
import { decodeUnicode } from './decode.ts'
import { ConversionFailed, conversionFailures } from './failure.ts'
import { isHtml } from './html_evidence.ts'

export type DocumentType = 'text/html' | 'application/pdf' | 'text/plain'

/** Bytes that decide the type. */
export const START_BYTES = 65_536

/** Names of the types that people are likely to try. */
const NAMES: Record<string, string> = {
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'a Word document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'an Excel workbook',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'a PowerPoint presentation',
  'application/vnd.oasis.opendocument.text': 'an OpenDocument text',
  'application/x-cfb': 'a document of an old Office version',
  'application/rtf': 'an RTF document',
  'application/epub+zip': 'an EPUB book',
  'application/zip': 'an archive',
  'application/gzip': 'an archive',
}

/** @throws {ConversionFailed} `unsupported_type`, `not_text`, `empty` */
export async function documentType(start: Buffer): Promise<DocumentType> {
  if (start.length === 0) throw new ConversionFailed('empty')
  const sniffed = await sniffStart(start)
  if (sniffed === 'application/pdf') return sniffed
  if (TEXTS.has(sniffed) && isMime(start))
    throw new ConversionFailed('unsupported_type', `The file is a saved e-mail or a web archive (MHTML). ${REMEDY}`)
  if (TEXTS.has(sniffed))
    return isHtml(decodeUnicode(start)?.text ?? start.toString('latin1')) ? 'text/html' : 'text/plain'
  // Control characters among text: the conversion of the whole decides, with the better reason.
  if (sniffed === 'application/octet-stream')
    throw new ConversionFailed(hasText(start) ? 'not_text' : 'unsupported_type')
  const name = NAMES[sniffed] ?? `of type ${sniffed}`
  throw new ConversionFailed('unsupported_type', `The file is ${name}. ${REMEDY}`)
}

const TEXTS = new Set(['text/plain', 'text/html', 'text/vtt', 'application/xml', 'application/xhtml+xml'])

const REMEDY = conversionFailures.unsupported_type.split('. ')[1]!

/**
 * A message with its headers, whose text is encoded (`=C3=BC`, Base64) and has several parts. A text may quote such
 * headers, but does not begin with them.
 */
function isMime(start: Buffer): boolean {
  const text = start.toString('latin1')
  const head = text.slice(0, /\r?\n\r?\n/.exec(text)?.index ?? 0)
  const is_head = head.split(/\r?\n/).every((line) => /^(?:[\w-]{1,80}:|[ \t]|From )/.test(line))
  const is_encoded =
    /^Content-Type:\s{0,9}(?:multipart|text\/html)/im.test(head) ||
    /^Content-Transfer-Encoding:\s{0,9}(?:quoted|base64)/im.test(head)
  return is_head && is_encoded && /^MIME-Version:/im.test(head)
}

/** More than nine of ten bytes are printable: a text with something else in it. */
function hasText(bytes: Buffer): boolean {
  let printable = 0
  for (const byte of bytes) if (byte >= 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) printable++
  return printable > bytes.length * 0.9
}
