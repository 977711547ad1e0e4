/** Documents to Markdown: Markdown and plain text, HTML, PDF. */
export type { Confines } from './confined_process.ts'
export type { Converted } from './converted.ts'
export { Converter, type ConverterOptions } from './converter.ts'
export { ConversionFailed, type ConversionFailure, conversionFailures, MAX_DOCUMENT_LENGTH } from './failure.ts'
