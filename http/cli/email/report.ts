import { divide, fieldsOf } from './header_fields.ts'

export type Bounce = { message_id: string; status: string; diagnostic: string }

/** Maximum bytes of a report, which precedes the returned mail. */
const LONGEST_REPORT = 1024 * 1024
/** Reports have three. */
const MOST_PARTS = 16
const LONGEST_DIAGNOSTIC = 500

/**
 * Reads a mail system's report about one of our mails (RFC 3464): a failure, or another status. Undefined when it is
 * not a report, or does not name the mail. `type`: content type of the mail, with its parameters. The parts are read
 * from the raw mail, because the parser treats them as text.
 */
export function reportIn(type: unknown, bytes: Buffer): { bounce: Bounce } | { passed_over: string } | undefined {
  const { value, params } = (type ?? {}) as { value?: string; params?: { boundary?: string } }
  if (value !== 'multipart/report' || !params?.boundary) return undefined
  const text = bytes.toString('utf8', 0, LONGEST_REPORT)
  const parts = text.split(`--${params.boundary}`, MOST_PARTS).map((part) => divide(part.trimStart()))
  const bodyOf = (type: string) =>
    parts.find(({ head }) => fieldsOf(head, 'first').get('content-type')?.toLowerCase().startsWith(type))?.body
  const report = bodyOf('message/delivery-status')
  const about = bodyOf('text/rfc822-headers') ?? bodyOf('message/rfc822')
  const message_id = about && fieldsOf(divide(about.trimStart()).head, 'first').get('message-id')
  if (report === undefined || !message_id) return undefined
  const said = fieldsOf(report, 'first')
  const action = said.get('action')?.toLowerCase().slice(0, 50) ?? ''
  if (action !== 'failed') return { passed_over: `A report that the mail was ${action || 'handled'} changes nothing.` }
  const status = said.get('status')?.split(' ')[0] || '5.0.0'
  const diagnostic = said.get('diagnostic-code')?.replace(/^smtp;\s*/i, '') || 'The mail could not be delivered.'
  return { bounce: { message_id, status, diagnostic: diagnostic.slice(0, LONGEST_DIAGNOSTIC).toWellFormed() } }
}
