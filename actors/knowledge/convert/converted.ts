import type { DocumentType } from './document_type.ts'
import type { ImportWarning } from './warnings.ts'

export type Converted = {
  type: DocumentType
  /** Null when the document names none. */
  title: string | null
  /** Markdown. */
  content: string
  /** Parts that the content lacks. */
  warnings: ImportWarning[]
}
