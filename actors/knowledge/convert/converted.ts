import type { DocumentType } from './document_type.ts'

export type Converted = {
  type: DocumentType
  /** Null when the document names none. */
  title: string | null
  /** Markdown. */
  content: string
}
