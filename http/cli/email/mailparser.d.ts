/** What is used of a package that brings no types. */
declare module 'mailparser' {
  import type { Readable } from 'node:stream'

  type Addresses = { value: { address?: string; name: string; group?: Addresses['value'] }[]; text: string }
  export type ParsedMail = {
    /** Names in lower case. A value is text, a date, or an object for headers with parameters. */
    headers: Map<string, unknown>
    messageId?: string
    inReplyTo?: string
    references?: string | string[]
    from?: Addresses
    to?: Addresses | Addresses[]
    subject?: string
    date?: Date
    text?: string
    html?: string | false
    attachments: {
      filename?: string
      contentType: string
      size: number
      content: Buffer
      contentDisposition?: string
    }[]
  }

  export function simpleParser(
    mail: Readable | Buffer | string,
    options?: { skipTextToHtml?: boolean; skipImageLinks?: boolean; maxHtmlLengthToParse?: number },
  ): Promise<ParsedMail>
}
