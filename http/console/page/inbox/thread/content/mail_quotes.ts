/** Divides the text of an e-mail into what was written and what was quoted from earlier e-mails. No DOM. One pass. */

type MailPart = { text: string; is_quoted: boolean }

/** “On Monday Ana wrote:”, in the languages of mail programs. It may be broken into two lines. */
const WROTE =
  /^(?:On|Am|El|Le|Il|Em|No dia|Op|Den|Dnia|W dniu|Il giorno|Vào|Dne)\b.{3,300}(?:wrote|schrieb|escribió|écrit|scritto|escreveu|schreef|skrev|napisał|napisał\(a\)|napsal)(?!\p{L}).{0,100}:$/u
const ORIGINAL =
  /^-{2,20} ?(?:Original Message|Ursprüngliche Nachricht|Mensaje original|Message d'origine|Messaggio originale|Mensagem original|Oorspronkelijk bericht) ?-{2,20}$/iu
const FROM = /^[*]?(?:From|Von|De|Da|Van|Från|Od)[*]?\s?: ?\S/u
const SENT = /^[*]?(?:Sent|Gesendet|Enviado(?: el)?|Envoyé|Inviato|Verzonden|Skickat|Wysłano)[*]?\s?: ?\S/u
/** These are written in other lists, too, such as the dates of a journey from a place. */
const DATE = /^[*]?(?:Date|Datum|Fecha|Data)[*]?\s?: ?\S/u
const SUBJECT = /^[*]?(?:Subject|Betreff|Asunto|Objet|Oggetto|Assunto|Onderwerp|Ämne|Temat)[*]?\s?:/u
/** The line above a forwarded e-mail, which those who get it do not know: it is sent for them to read. */
const FORWARDED =
  /^(?:-{2,20} ?(?:Forwarded message|Weitergeleitete Nachricht|Mensaje reenviado|Message transféré|Messaggio inoltrato|Mensagem encaminhada|Doorgestuurd bericht) ?-{2,20}|Begin forwarded message:|Anfang der weitergeleiteten Nachricht:|Inicio del mensaje reenviado:|Début du message (?:transféré|réexpédié) ?:|Inizio messaggio inoltrato:|Início da mensagem (?:re)?encaminhada:)$/iu
/** Lines of the header that Outlook writes above the quoted e-mail. */
const HEADER_LINES = 4
/** Those and their lines of further recipients. */
const MAX_HEADER_LINES = 7
/** A quote before the answer is folded from so many lines on: shorter ones are read with their answer. */
const LONG_QUOTE = 6

/** The parts in their order. A text that is all quoted, and quotes between answers, are written text. */
export function mailParts(text: string): MailPart[] {
  const lines = text.split('\n')
  const end = endOfFirstQuote(lines)
  const begin = beginOfLastQuote(lines, end)
  const parts = [
    { text: lines.slice(0, end).join('\n'), is_quoted: true },
    { text: lines.slice(end, begin).join('\n').trim(), is_quoted: false },
    { text: lines.slice(begin).join('\n').trim(), is_quoted: true },
  ].filter((part) => part.text.trim() !== '')
  return parts.some(({ is_quoted }) => !is_quoted) ? parts : [{ text, is_quoted: false }]
}

/** Behind the quote that the text begins with, if it is long. */
function endOfFirstQuote(lines: readonly string[]) {
  let at = 0
  while (at < lines.length && lines[at]?.trim() === '') at++
  at += wroteAt(lines, at)
  const begin = at
  while (at < lines.length && isQuoted(lines[at])) at++
  return at - begin >= LONG_QUOTE ? at : 0
}

/** The first line of what is quoted until the end of the text. */
function beginOfLastQuote(lines: readonly string[], from: number) {
  for (let at = from; at < lines.length; at++) {
    const line = lines[at]?.trim() ?? ''
    if (FORWARDED.test(line)) return lines.length
    if (ORIGINAL.test(line) || isHeader(lines, at)) return at
  }
  let begin = lines.length
  while (begin > from && (isQuoted(lines[begin - 1]) || lines[begin - 1]?.trim() === '')) begin--
  if (!lines.slice(begin).some(isQuoted)) return lines.length
  for (const count of [2, 1]) if (begin - count >= from && wroteAt(lines, begin - count) === count) return begin - count
  return begin
}

/** The number of lines that say who wrote what follows. */
function wroteAt(lines: readonly string[], at: number) {
  const [line = '', next = ''] = [lines[at]?.trim(), lines[at + 1]?.trim()]
  if (WROTE.test(line)) return 1
  return line.length < 300 && WROTE.test(`${line} ${next}`.slice(0, 500)) ? 2 : 0
}

function isHeader(lines: readonly string[], at: number) {
  const from = lines[at]?.trim() ?? ''
  if (!FROM.test(from)) return false
  const below = lines.slice(at + 1, at + MAX_HEADER_LINES).map((line) => line.trim())
  const times = below.slice(0, HEADER_LINES - 1)
  if (times.some((line) => SENT.test(line))) return true
  return times.some((line) => DATE.test(line)) && (from.includes('@') || below.some((line) => SUBJECT.test(line)))
}

function isQuoted(line: string | undefined) {
  return line?.startsWith('>') ?? false
}

/**
 * The bytes of an e-mail as text: UTF-8, or else Latin-1.
 *
 * @param bytes in base64
 */
export function originalText(bytes: string) {
  const characters = atob(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(characters, (one) => one.charCodeAt(0)))
  } catch {
    return characters
  }
}
