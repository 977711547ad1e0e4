/** The type of a document, by its first bytes. Names and announced types are claims and are ignored. */
import { sniffStart } from '../../media/mod.ts'
import { ConversionFailed, conversionFailures } from './failure.ts'

/** Types that need a parser. */
export type ParsedType = 'text/html' | 'application/pdf'
export type DocumentType = ParsedType | 'text/plain'

/** Bytes that decide the type. */
export const START_BYTES = 65_536

/** HTML begins with one of its own tags; a prolog, comments and white space may come first. */
const HTML_START =
  /^(?:<!doctype\s+html|<html|<head|<body|<title|<meta|<main|<article|<div|<p>|<p\s|<h[1-6]|<table|<script|<style)/i
/** Comments and prologs before HTML that are skipped. */
const MOST_SKIPPED = 20

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

/** @throws {ConversionFailed} `unsupported_type`, `empty` */
export async function documentType(start: Buffer): Promise<DocumentType> {
  if (start.length === 0) throw new ConversionFailed('empty')
  // PDF allows bytes before its header; so do readers, within the first kilobyte.
  if (start.subarray(0, 1024).includes('%PDF-')) return 'application/pdf'
  const is_utf16 = (start[0] === 0xff && start[1] === 0xfe) || (start[0] === 0xfe && start[1] === 0xff)
  const sniffed = is_utf16 ? 'text/plain' : await sniffStart(start)
  if (sniffed === 'text/plain' || sniffed === 'text/html' || sniffed === 'application/xml') {
    const text = is_utf16
      ? new TextDecoder(start[0] === 0xff ? 'utf-16le' : 'utf-16be').decode(start)
      : start.toString()
    return isHtml(text) ? 'text/html' : 'text/plain'
  }
  // Control characters among text: the conversion of the whole decides, with the better reason.
  if (sniffed === 'application/octet-stream')
    throw new ConversionFailed(hasText(start) ? 'not_text' : 'unsupported_type')
  const name = NAMES[sniffed] ?? `of type ${sniffed}`
  throw new ConversionFailed('unsupported_type', `The file is ${name}. ${REMEDY}`)
}

const REMEDY = conversionFailures.unsupported_type.split('. ')[1]!

function isHtml(text: string): boolean {
  let at = skipBlank(text, text.startsWith('\ufeff') ? 1 : 0)
  for (let skipped = 0; skipped < MOST_SKIPPED; skipped++) {
    const end = text.startsWith('<!--', at) ? '-->' : text.startsWith('<?', at) ? '>' : undefined
    if (end === undefined) break
    const ended = text.indexOf(end, at)
    if (ended < 0) return false
    at = skipBlank(text, ended + end.length)
  }
  return HTML_START.test(text.slice(at, at + 32))
}

function skipBlank(text: string, from: number): number {
  let at = from
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++
  return at
}

/** More than nine of ten bytes are printable: a text with something else in it. */
function hasText(bytes: Buffer): boolean {
  let printable = 0
  for (const byte of bytes) if (byte >= 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) printable++
  return printable > bytes.length * 0.9
}
