/** Types of the used part of a package that brings none. */
declare module 'html-to-text' {
  export type Element = { children: unknown[]; attribs: Record<string, string | undefined> }
  export type Builder<Metadata> = {
    metadata: Metadata
    options: { formatters: Record<string, Formatter<Metadata>> }
    openBlock(options: { leadingLineBreaks: number }): void
    closeBlock(options: { trailingLineBreaks: number; blockTransform?: (text: string) => string }): void
    addLiteral(text: string): void
    /** Words of the text, in which white space counts once. */
    addInline(text: string): void
  }
  export type Formatter<Metadata> = (
    element: Element,
    walk: (children: unknown[], builder: Builder<Metadata>) => void,
    builder: Builder<Metadata>,
    options: Record<string, unknown>,
  ) => void

  export type Options<Metadata> = {
    wordwrap: false
    /** Elements whose text counts; all of them when there are none. */
    baseElements: { selectors: string[] }
    limits: { maxDepth: number; ellipsis: string }
    formatters: Record<string, Formatter<Metadata>>
    selectors: { selector: string; format?: string; options?: Record<string, unknown> }[]
  }

  export function compile<Metadata>(options: Options<Metadata>): (html: string, metadata: Metadata) => string
}
