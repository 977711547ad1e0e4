import type { ImportWarning } from '../warnings.ts'

/** A document as its parser leaves it. The content may be blank. */
export type Parsed = { title: string | null | undefined; content: string; warnings: ImportWarning[] }
