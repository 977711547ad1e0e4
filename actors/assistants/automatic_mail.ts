/** Tells messages of programs from those of people: an assistant must not answer another program. */
import { expanded } from './expanded_text.ts'

type Json = Record<string, unknown>

/** Names of mailboxes behind which nobody reads. */
const NOBODY =
  /^(?:mailer-daemon|postmaster|no-?reply|do-?not-?reply|not?-?responder|no-?responda|nao-?responda|nepasrepondre|ne-pas-repondre|bounces?|autoreply|auto-?responder|notifications?|newsletter|automailer)(?:[+._=-].{0,200})?$/i
const MICROSOFT = /^microsoftexchange[0-9a-f]{32}$/i

/** Beginnings of subjects that programs write. `Auto: …` is the one of RFC 3834. */
const SUBJECTS = [
  ...[
    'auto:',
    'automatic reply',
    'autoreply',
    'auto-reply',
    'auto reply',
    'out of office',
    'out of the office',
    'ooo:',
  ],
  ...[
    'respuesta automática',
    'respuesta automatica',
    'fuera de la oficina',
    'resposta automática',
    'ausência temporária',
  ],
  ...['réponse automatique', 'reponse automatique', 'absence du bureau', 'automatische antwort', 'abwesenheitsnotiz'],
  ...['risposta automatica', 'fuori sede', 'automatisch antwoord', 'afwezigheidsbericht', 'odpowiedź automatyczna'],
  ...[
    'otomatik yanıt',
    'ofis dışında',
    'автоматический ответ',
    'автоответ',
    'رد تلقائي',
    '自动回复',
    '自動回覆',
    '自動応答',
    '自動返信',
  ],
  ...[
    'undelivered mail returned',
    'undeliverable:',
    'delivery status notification',
    'mail delivery failed',
    'returned mail:',
  ],
  ...['failure notice', 'read receipt:', 'read:', 'not read:', 'delivery failure'],
]

/**
 * True for a mail that a program wrote: an answer, a list, a bounce, a receipt. The mail system marks those whose headers
 * say so (`auto_submitted`); sender and subject tell where it does not. `from`: the address of the contact.
 */
export function isAutomaticMail(message: Json, from: string | null = null): boolean {
  if (message.auto_submitted !== undefined && message.auto_submitted !== null) return true
  const sender = message.sender as Json | undefined
  const addresses = [from, typeof sender === 'object' && sender !== null ? sender.address : null]
  if (addresses.some((address) => typeof address === 'string' && isOfNobody(address))) return true
  const subject = typeof message.subject === 'string' ? message.subject.trim().toLowerCase() : ''
  return SUBJECTS.some((beginning) => subject.startsWith(beginning))
}

function isOfNobody(address: string): boolean {
  const local = address.slice(0, Math.max(0, address.lastIndexOf('@')))
  return NOBODY.test(local) || MICROSOFT.test(local)
}

export type Exchanged = { direction: 'inbound' | 'outbound'; at: Date; text: string }

/** Answers that come sooner than anybody can read and write. */
const SOON_MS = 2_000
const MANY_SOON = 3
/** The same text so many times. */
const SAME = 3
/** Messages that are looked at, and characters of each. */
const RECENT = 20
const MOST = 2_000

/**
 * True when the other side answers like a program: three answers in a row within two seconds, or the same text three times
 * within the last messages. `exchanged`: oldest first.
 */
export function looksLikeBot(exchanged: readonly Exchanged[]): boolean {
  const recent = exchanged.slice(-RECENT)
  const texts = recent.filter(({ direction }) => direction === 'inbound').map(({ text }) => folded(text))
  const last = texts.at(-1)
  // People write "ok" three times, too.
  if (last !== undefined && last.length >= 12 && texts.filter((text) => text === last).length >= SAME) return true
  let soon = 0
  for (let at = 1; at < recent.length; at++) {
    const [before, one] = [recent[at - 1]!, recent[at]!]
    if (one.direction !== 'inbound' || before.direction !== 'outbound') continue
    soon = one.at.getTime() - before.at.getTime() <= SOON_MS ? soon + 1 : 0
  }
  return soon >= MANY_SOON
}

function folded(text: string): string {
  return expanded(text.slice(0, MOST), 'NFKC').slice(0, MOST).toLowerCase().replace(/\s+/g, ' ').trim()
}
