/** Maximum characters of a document, converted or not. */
export const MAX_DOCUMENT_LENGTH = 500_000

/**
 * The reasons for which a document cannot be converted. Each sentence is shown to the person who imported it, and says
 * what to do. The same bytes always fail for the same reason, so none of these is tried again by itself.
 */
export const conversionFailures = {
  unsupported_type: 'The file is no document that can be imported. Import Markdown, plain text, HTML or PDF.',
  not_text: 'The file looks like text but contains binary data. Import Markdown, plain text, HTML or PDF.',
  empty: 'The file is empty.',
  unknown_charset:
    'The letters of the file cannot be told: it does not name their encoding. Save it in UTF-8, then import it again.',
  encrypted: 'The PDF is protected by a password. Save it without the password, then import it again.',
  broken: 'The file is damaged. Open it and save it again, then import the new file.',
  no_text: 'The document contains no text. Run text recognition (OCR) on a scanned document before importing it.',
  made_by_scripts:
    'The page has no text until its scripts run. Open it in a browser, save it as a complete web page, then import that file.',
  unreadable_text:
    'The fonts of the PDF do not say which letters they show. Export it again from the program it was made with, or run text recognition (OCR) on it.',
  too_long: `The text has more than ${MAX_DOCUMENT_LENGTH} characters. Split the document, then import its parts.`,
  too_complex:
    'The document needs more time or memory than a conversion may take. Simplify or split it, then import it again.',
} as const

export type ConversionFailure = keyof typeof conversionFailures

/** The document itself cannot be converted. Any other error says nothing about the document. */
export class ConversionFailed extends Error {
  readonly code: ConversionFailure

  constructor(code: ConversionFailure, message: string = conversionFailures[code]) {
    super(message)
    this.name = 'ConversionFailed'
    this.code = code
  }
}

export function isConversionFailure(code: unknown): code is ConversionFailure {
  return typeof code === 'string' && Object.hasOwn(conversionFailures, code)
}
