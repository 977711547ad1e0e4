/**
 * E-mails to visitors of the web chat who left an address and have gone, with what they have not read.
 *
 *  U1 A message to a visitor sets a durable timer. When it is due, the turn reads what is unread by then.
 *  U2 A visitor who has the chat open gets no e-mail: the nodes are asked, and the timer begins anew. A question that may
 *     have reached no node is asked again.
 *  U3 The e-mail is a message that says up to which message it goes. It is stored when it is sent, so the next one begins
 *     after it, whatever stops in between. It tells of the messages of those who were its contact when it was sent, so
 *     nothing is decided while a merge moves records.
 *  U4 The address proves nothing. The e-mail belongs to the contact of the chat; an answer to it is an e-mail of whoever
 *     has the address.
 */
import type { Feature } from '../turn/feature.ts'
import { unreadMailChecked, unreadMailDue } from './send_unread.ts'

export const unreadMail = {
  receivers: { unread_mail_due: unreadMailDue, unread_mail_checked: unreadMailChecked },
} satisfies Feature
