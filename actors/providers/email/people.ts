/** The person whom an answer to a mail must reach, and the other addresses that the mail names. */
import { isObject, type Json, textOf } from '../json.ts'
import { isMailboxOf, normalAddress, repairedAddress } from './address.ts'
import { lineOf } from './lines.ts'

type Person = { address: string; name: string | null }

export type People = {
  /** The address of the contact. */
  user_id: string
  name: string | null
  /** The sender in `From`, where the contact is somebody else. */
  sender?: Person
  /** The first address of `Reply-To`, where it is not the sender's. */
  reply_to?: Person
}

const MAX_NAME_LENGTH = 256
const MAX_PEOPLE = 100
const MAX_TO_LENGTH = 20_000
/** The contact of mails that only the channel itself seems to have sent. */
const NOBODY = 'unknown@without-sender.invalid'

/**
 * The contact is who gets the answer: `Reply-To`, else the sender, and never the channel itself (`own`). Web forms and
 * lists write their own address into `From`, and many people would be one contact. Undefined without a sender.
 */
export function peopleIn({ from, reply_to, other_senders }: Json, own: string): People | undefined {
  const [sender] = personsIn(from)
  const answered = personsIn(reply_to)
  if (!sender) return undefined
  const candidates = [...answered, sender, ...personsIn(other_senders)]
  const { address, name } = candidates.find(({ address }) => own === '' || !isMailboxOf(address, own)) ?? {
    address: NOBODY,
    name: null,
  }
  const user_id = normalAddress(address)
  const is_sender = normalAddress(sender.address) === user_id
  const [first] = answered
  return {
    user_id,
    name: name ?? (isOfOne(sender.address, address) ? sender.name : null),
    ...(!is_sender && { sender }),
    ...(first && normalAddress(first.address) !== normalAddress(sender.address) && { reply_to: first }),
  }
}

/**
 * The first recipient of a mail that the channel's own address wrote; undefined for a mail of anybody else, such as one of a
 * form that names the person in `Reply-To`, and for one to the address itself.
 */
export function recipientOf({ from, reply_to, other_senders, to, cc }: Json, own: string): Person | undefined {
  const isOwn = ({ address }: Person) => isMailboxOf(address, own)
  const [sender] = personsIn(from)
  if (!sender || !isOwn(sender) || ![...personsIn(reply_to), ...personsIn(other_senders)].every(isOwn)) return undefined
  return [...personsIn(listIn(to)), ...personsIn(cc)].find((one) => !isOwn(one))
}

/** The hook takes `To` as it stands in the mail: addresses with names, divided by commas. */
function listIn(to: unknown): unknown {
  if (typeof to !== 'string') return to
  return partsOf(to.slice(0, MAX_TO_LENGTH)).map((part) => {
    const begins = part.lastIndexOf('<')
    if (begins < 0 || !part.endsWith('>')) return part
    return { address: part.slice(begins + 1, -1), name: part.slice(0, begins).trim().replace(/^"|"$/g, '') }
  })
}

/** A comma within quotes belongs to a name. */
function partsOf(text: string): string[] {
  const parts = ['']
  let is_quoted = false
  for (const letter of text) {
    if (letter === '"') is_quoted = !is_quoted
    if (letter === ',' && !is_quoted) parts.push('')
    else parts[parts.length - 1] += letter
  }
  return parts.map((part) => part.trim())
}

/** A list, or a single one as an object or a text. Without those that have no address. */
export function personsIn(value: unknown): Person[] {
  const list = Array.isArray(value) ? value.slice(0, MAX_PEOPLE) : [value]
  return list.flatMap((one) => {
    const { address: said, name } = isObject(one) ? one : { address: one, name: null }
    const address = repairedAddress(textOf(said) ?? '')
    return address === undefined ? [] : [{ address, name: lineOf(name, MAX_NAME_LENGTH) }]
  })
}

/** Two addresses of one person have the same name before the `@`, or the same domain. */
function isOfOne(one: string, other: string): boolean {
  const [first, second] = [one, other].map((address) => normalAddress(address).split('@'))
  return first![0] === second![0] || first!.at(-1) === second!.at(-1)
}
