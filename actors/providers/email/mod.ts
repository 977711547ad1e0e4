/** E-mail: SMTP out, a signed HTTP hook in. */

export { parseSmtpUrl } from './account.ts'
export type { OpenFile } from './attachment.ts'
export { HtmlReader } from './html_reader.ts'
export { parseMailbox } from './mailbox.ts'
export { Email, type EmailOptions } from './provider.ts'
