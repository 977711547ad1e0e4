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
