/** Mails of the service: the actor that sends one, the mail system behind it, and the texts. */
export { type MailOptions, type MailProtocol, mailActor } from './actor.ts'
export { type Mail, type Mailer, type MailOutcome, type SmtpOptions, smtpMailer } from './mailer.ts'
export { type DisabledSubscription, subscriptionDisabledMail } from './subscription_disabled.ts'
export { tokenExpiringMail } from './token_expiring.ts'
export { type LeakPlace, tokenLeakedMail } from './token_leaked.ts'
export type { TokenSubject } from './token_subject.ts'
export { userInvitedMail } from './user_invited.ts'
