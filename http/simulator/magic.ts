import type { Behaviour } from './faults.ts'

/** A recipient whose number alone determines the outcome of messages to it. */
export type MagicRecipient = {
  /** Digits, as Meta writes a wa_id. */
  number: string
  outcome: string
  behaviour: Behaviour
  /** Number of failures before one message goes through; then it starts over. Undefined: every message fails. */
  times?: number
}

/** +1 555 and the code in seven digits; codes below 1000 are at +1 555 019 0xxx, away from numbers people make up. */
export function numberOfCode(code: number): string {
  return code < 1000 ? `15550190${String(code).padStart(3, '0')}` : `1555${String(code).padStart(7, '0')}`
}

/** Recipients of every provider. */
export const BY_BEHAVIOUR: MagicRecipient[] = [
  { number: '15550180000', outcome: 'accepted, sent, delivered, read', behaviour: {} },
  {
    number: '15550180001',
    outcome: 'connection reset before the message is accepted, once, then accepted, and so on in turn',
    behaviour: { reset: 'before' },
    times: 1,
  },
  {
    number: '15550180002',
    outcome: 'message accepted, then the connection is reset instead of an answer; statuses come',
    behaviour: { reset: 'after' },
  },
  { number: '15550180003', outcome: 'hangs, message not accepted', behaviour: { hang: 'before' } },
  { number: '15550180004', outcome: 'hangs, message accepted; statuses come', behaviour: { hang: 'after' } },
  {
    number: '15550180005',
    outcome: 'status 502 with an HTML page twice, then accepted, and so on in turn',
    behaviour: { garbage: true },
    times: 2,
  },
  { number: '15550180006', outcome: 'the answer takes 2 s', behaviour: { latency_ms: 2000 } },
  {
    number: '15550180007',
    outcome: 'the statuses overtake the answer of the send, which takes 1 s',
    behaviour: { latency_ms: 1000, statuses: { early: true } },
  },
  { number: '15550180010', outcome: 'no status ever comes', behaviour: { statuses: { lose: true } } },
  { number: '15550180011', outcome: 'every status comes twice', behaviour: { statuses: { duplicate: true } } },
  {
    number: '15550180012',
    outcome: 'statuses in reverse: read, delivered, sent',
    behaviour: { statuses: { reorder: true } },
  },
  { number: '15550180013', outcome: 'delivered is skipped', behaviour: { statuses: { skip: ['delivered'] } } },
  { number: '15550180014', outcome: 'statuses 5 s late', behaviour: { statuses: { late_ms: 5000 } } },
  { number: '15550180015', outcome: 'delivered, never read', behaviour: { statuses: { skip: ['read'] } } },
  {
    number: '15550180016',
    outcome: 'sent, then failed 131026',
    behaviour: { statuses: { fail: { code: 131026, after: 'sent' } } },
  },
]

/** Counts the attempts to each magic recipient of each account. */
export class MagicRecipients {
  readonly #attempts = new Map<string, number>()
  readonly #by_number: ReadonlyMap<string, MagicRecipient>

  constructor(recipients: readonly MagicRecipient[]) {
    this.#by_number = new Map(recipients.map((recipient) => [recipient.number, recipient]))
  }

  /** Magic recipients take free-form messages without having written first, so that each outcome can be seen. */
  isMagic(recipient: string): boolean {
    return this.#by_number.has(recipient)
  }

  /** The behaviour for the recipient's number, if any; counts as an attempt. */
  behaviourOf(account_id: string, recipient: string): Behaviour | undefined {
    const magic = this.#by_number.get(recipient)
    if (!magic?.times) return magic?.behaviour
    const key = `${account_id}:${recipient}`
    const attempts = this.#attempts.get(key) ?? 0
    this.#attempts.set(key, attempts >= magic.times ? 0 : attempts + 1)
    return attempts >= magic.times ? undefined : magic.behaviour
  }
}
