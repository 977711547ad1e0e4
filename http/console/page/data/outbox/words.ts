/** Texts about messages that are not sent yet. No DOM. */

const messages = (count: number) => (count === 1 ? '1 message' : `${count} messages`)

export const words = {
  waiting: 'Sent when Parley can be reached',
  too_old: 'It has waited for more than a day. Look at the conversation, and send it again if it is still right.',
  unsent: (count: number) => `${messages(count)} not sent`,
  title: 'Not sent yet',
  hint: 'They are kept in this browser, and sent by themselves when Parley can be reached.',
  discard: 'Discard',
  somebody: 'A person',
  signed_out: (count: number) => ` Then ${messages(count)} of yours will be sent.`,
  signing_out: (count: number) =>
    `${messages(count)} of yours ${count === 1 ? 'is' : 'are'} not sent. They will be when you sign in again in this browser.`,
  sign_out_anyway: 'Sign out anyway',
}
