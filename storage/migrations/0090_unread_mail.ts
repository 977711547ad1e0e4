import { inTransaction, type Migration } from './step.ts'

/** A project may send visitors of the web chat by e-mail what they have not read. */
export const unreadMail: Migration = {
  name: '0090_unread_mail',
  steps: [inTransaction('alter table project add column unread_mail_minutes integer')],
}
