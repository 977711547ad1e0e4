/** The person behind a mail, by all that its header says. */
import { type Fields, fieldOf, fieldsNamed } from './mime/head.ts'
import { type Mailbox, mailboxesIn } from './mime/mailboxes.ts'
import { decodeHeader, withoutComments } from './mime/words.ts'

export type Sender = {
  from: Mailbox
  /** The people who are to get the answer, in their order, when the mail names some. */
  reply_to: Mailbox[]
  /** For a mail of which `from` is the channel's own address: list software writes it there. */
  other_senders: Mailbox[]
  to: Mailbox[]
  /** Others who got the mail. */
  cc: Mailbox[]
}

/** After From. The first of them that has an address counts. */
const CHAIN = [
  'sender',
  'reply-to',
  'return-path',
  'x-original-from',
  'x-original-sender',
  'resent-from',
  'resent-sender',
  'errors-to',
]
/** The author, where a list replaced From. */
const AUTHORS = ['x-original-from', 'x-original-sender']
/** The sender of the mail, a person or a program: in one to its own sender, such as that of a web form, maybe the author. */
const SENDERS = ['sender', 'return-path']
/** Any of them makes a text a mail. */
const MARKS = ['message-id', 'received', 'date', 'to', 'delivered-to', 'mime-version']

const NO_DOMAIN = 'without-domain.invalid'
const NOBODY = 'unknown@without-sender.invalid'

/** Undefined for what is no mail. `hint`: the charset of the mail's text. */
export function senderOf(fields: Fields, hint: string): Sender | undefined {
  const from = firstOf(fields, ['from', ...CHAIN], hint) ?? localName(fields, hint) ?? nobody(fields)
  if (!from) return undefined
  const list = mailboxesOf(fields, 'list-post', hint).map(({ address }) => address.toLowerCase())
  // Lists send answers to all their members.
  const reply_to = mailboxesOf(fields, 'reply-to', hint).filter(
    ({ address }) => !list.includes(`mailto:${address.toLowerCase()}`) && !list.includes(address.toLowerCase()),
  )
  // Some programs write a field for each of them.
  const to = mailboxesIn(fieldsNamed(fields, 'to').join(', '), hint)
  // People write in the name of an address by accounts of their own, which mail systems name, too.
  const is_to_others = to.length > 0 && !to.some(({ address }) => address.toLowerCase() === from.address.toLowerCase())
  return {
    from,
    reply_to,
    other_senders: [...AUTHORS, ...(is_to_others ? [] : SENDERS)].flatMap((name) => mailboxesOf(fields, name, hint)),
    to,
    cc: mailboxesIn(fieldsNamed(fields, 'cc').join(', '), hint),
  }
}

function firstOf(fields: Fields, names: string[], hint: string): Mailbox | undefined {
  for (const name of names) {
    const [mailbox] = mailboxesOf(fields, name, hint)
    if (mailbox) return mailbox
  }
  return undefined
}

function mailboxesOf(fields: Fields, name: string, hint: string): Mailbox[] {
  return mailboxesIn(fieldOf(fields, name) ?? '', hint)
}

/** Accounts of a machine, such as `root`, write without a domain. */
function localName(fields: Fields, hint: string): Mailbox | undefined {
  const name = withoutComments(decodeHeader(fieldOf(fields, 'from') ?? '', hint))
    .replaceAll(/["'<>]/g, '')
    .trim()
  return /^[\w.+-]{1,64}$/.test(name) ? { address: `${name.toLowerCase()}@${NO_DOMAIN}`, name } : undefined
}

function nobody(fields: Fields): Mailbox | undefined {
  return MARKS.some((name) => fieldOf(fields, name)) ? { address: NOBODY, name: '' } : undefined
}
