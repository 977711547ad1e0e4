/** Reports of mail systems about mails that Parley sent: those of the standard (RFC 3464), and all the others. */
import { automaticIn, isOfMailSystem, isOfNobody } from './automatic.ts'
import { contentOf } from './mime/content.ts'
import { divideHead, type Fields, fieldOf } from './mime/head.ts'
import { decodeTransfer } from './mime/transfer.ts'
import type { Part } from './mime/tree.ts'
import { decodeHeader, withoutComments } from './mime/words.ts'

export type Bounce = { message_id: string; status: string; diagnostic: string }

/** Characters of a report that are read. */
const MAX_REPORT_LENGTH = 1024 * 1024
/** Characters of a returned mail in a file: its header is at the beginning. */
const MAX_FILE_LENGTH = 64 * 1024
/** Recipients that a failure names. */
const MAX_NAMED = 3
const MAX_GROUPS = 100
const MAX_DIAGNOSTIC_LENGTH = 500
const MAX_ID_LENGTH = 998

const STATUS_PARTS = /^message\/(?:global-)?delivery-status$/
const RETURNED_PARTS = /^(?:message\/(?:rfc822|global|global-headers|rfc822-headers)|text\/rfc822-headers)$/
const FILES = /^(?:text\/plain|application\/octet-stream|application\/x-unknown)$/
/** Fields of reports that have no returned mail. */
const NAMING_FIELDS = ['x-original-message-id', 'original-message-id', 'in-reply-to', 'references']
/** Ids of the mails that Parley makes. */
const OUR_ID = /msg_[0-9a-f]{24}(?:\.[0-9a-f]{16})?@[^\s<>"'()[\],;]{1,255}/
/** Ids of systems that replace ours in mails that they send (Amazon SES, Microsoft 365). */
const REPLACED_ID = /@(?:[\w-]{1,63}\.){0,5}(?:amazonses|outlook)\.com>?$/i
/** The subject of an answer. Reports have their own words before the colon. */
const ANSWER = /^(?:re|aw|antw|sv|vs|ref|rif|res|odp|ynt|fwd?|wg|tr|回复|答复)(?:\[\d{1,3}\])?\s?[:：]/iu
/** Not a part of an IP address or of a version. */
const CODE = /(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?!\.?\d)/
const FAILURE =
  /undeliver|not (?:be )?deliver|delivery (?:has )?fail|failure notice|mail delivery (?:system|subsystem|failed)|returned (?:mail|to sender)|could(?: not|n't) be|permanent|reject|no such|does not exist|user unknown|unbekannt|unzustellbar|no se (?:ha )?(?:pudo|podido|entreg)|no entregad|devuelto|non (?:remis|distribu)|n(?:ão|ao) (?:foi )?entreg/i
const DELAY = /delay|still trying|will (?:be )?retr|keep trying|temporar|warning: |verz[oö]ger|retras|demorad/i

/** Undefined when the mail is no report, or does not name one of our mails. */
export function reportIn(root: Part): { bounce: Bounce } | { passed_over: string } | undefined {
  const parts = partsOf(root)
  const status = parts.find(({ type }) => STATUS_PARTS.test(type))
  const { fields, type } = root
  // People forward reports, and answer mails that speak of a failed delivery.
  if (status && (type === 'multipart/report' || automaticIn(fields))) return ofStandard(root, parts, groupsOf(status))
  const subject = subjectOf(root)
  if (ANSWER.test(subject) && !isOfNobody(fields)) return undefined
  // Behind the colon is the subject of our mail.
  const is_report = isOfMailSystem(fields) || (automaticIn(fields) && FAILURE.test(subject.split(/[:：]/, 1)[0]!))
  return is_report ? ofWords(root, parts) : undefined
}

function ofStandard(root: Part, parts: Part[], groups: Fields[]) {
  const message_id = returnedId(root, parts, groups)
  const all = groups.filter(
    (group) => actionOf(group) === 'failed' || (!actionOf(group) && codeOf(group)?.startsWith('5')),
  )
  const [failed] = all
  if (!message_id || groups.every((group) => !actionOf(group) && !codeOf(group))) return undefined
  if (!failed) return passedOver(groups.map(actionOf).find((action) => action) ?? '')
  const said = decodeHeader(fieldOf(failed, 'diagnostic-code') ?? '').replace(/^[\w-]{1,30}\s*;\s*/, '')
  // One of those in CC may be meant.
  const unnamed = all
    .slice(0, MAX_NAMED)
    .map(recipientOf)
    .filter((address) => address !== '' && !said.includes(address))
  const words = said || 'The mail could not be delivered.'
  return bounceOf(message_id, codeOf(failed) ?? '5.0.0', unnamed.length > 0 ? `${unnamed.join(', ')}: ${words}` : words)
}

/** `rfc822; ana@example.com`: the address that the mail had, where it was forwarded. */
function recipientOf(group: Fields): string {
  const field = fieldOf(group, 'original-recipient') ?? fieldOf(group, 'final-recipient') ?? ''
  return field
    .replace(/^[\w-]{1,30}\s{0,10};\s{0,10}/, '')
    .replaceAll(/[<>]/g, '')
    .slice(0, 100)
}

/** Plain words of a mail system. */
function ofWords(root: Part, parts: Part[]) {
  const { pieces } = contentOf(root)
  const text = pieces
    .map((piece) => ('text' in piece ? piece.text : linesOf(piece.html)))
    .join('\n')
    .slice(0, MAX_REPORT_LENGTH)
  const message_id = returnedId(root, parts, []) ?? ourIdIn(text)
  if (!message_id) return undefined
  const words = `${subjectOf(root)}\n${text}`
  const code = CODE.exec(text)?.[0]
  if (code?.startsWith('5') || (!code?.startsWith('4') && !DELAY.test(subjectOf(root)) && FAILURE.test(words))) {
    return bounceOf(message_id, code ?? '5.0.0', lineWith(code ?? '', text))
  }
  return DELAY.test(words) ? passedOver('delayed') : undefined
}

function bounceOf(message_id: string, status: string, said: string): { bounce: Bounce } {
  const diagnostic = said || 'The mail could not be delivered.'
  return { bounce: { message_id, status, diagnostic: diagnostic.slice(0, MAX_DIAGNOSTIC_LENGTH).toWellFormed() } }
}

function passedOver(action: string) {
  return { passed_over: `A report that the mail was ${action.slice(0, 50) || 'handled'} changes nothing.` }
}

/** The words of HTML, with the addresses that stand in angle brackets like tags. */
function linesOf(html: string): string {
  return html
    .slice(0, MAX_REPORT_LENGTH)
    .replaceAll(/<\/?[a-z][^<>]{0,2000}>/gi, (tag) => (/^[^=]*@/.test(tag) ? tag : '\n'))
    .replaceAll(/&(?:lt|gt|amp|nbsp|quot|#39);/gi, (entity) => ENTITIES.get(entity.toLowerCase())!)
}

const ENTITIES = new Map([
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&amp;', '&'],
  ['&nbsp;', ' '],
  ['&quot;', '"'],
  ['&#39;', "'"],
])

/** The line of a server's reply, or the first that speaks of a failure. */
function lineWith(code: string, text: string): string {
  const lines = text.split(/\r?\n/, 2_000).map((line) => line.trim())
  return (
    lines.find((line) => code !== '' && line.includes(code)) ?? lines.find((line) => /\b5\d\d[ -]/.test(line)) ?? ''
  )
}

function returnedId(root: Part, parts: Part[], groups: Fields[]): string | undefined {
  const returned = parts.filter(({ type }) => RETURNED_PARTS.test(type)).map(headIn)
  for (const fields of returned) {
    const id = fieldOf(fields, 'message-id')?.slice(0, MAX_ID_LENGTH)
    if (id) return isOfOurs(id) ? id : undefined
  }
  for (const fields of [...groups, root.fields]) {
    const ids = NAMING_FIELDS.flatMap((name) => fieldOf(fields, name)?.match(/<[^\s<>]{1,998}>/g) ?? [])
    const id = ids.find((one) => OUR_ID.test(one)) ?? (isOfMailSystem(root.fields) ? ids.find(isOfOurs) : undefined)
    if (id) return id
  }
  return parts
    .filter(({ type }) => FILES.test(type))
    .map(idInFile)
    .find((id) => id !== undefined)
}

/** Some systems return the mail as a file. */
function idInFile({ body, encoding }: Part): string | undefined {
  const text = decodeTransfer(body.slice(0, MAX_FILE_LENGTH), encoding, 'text').toString('latin1')
  return /^message-id:\s{0,10}(<msg_[0-9a-f]{24}(?:\.[0-9a-f]{16})?@[^\s<>]{1,255}>)/im.exec(text)?.[1]
}

/** The address also sends mails by other programs. Their reports are mails to read. */
function isOfOurs(id: string): boolean {
  return /^<?msg_/.test(id) || REPLACED_ID.test(id.trim())
}

function ourIdIn(text: string): string | undefined {
  const id = OUR_ID.exec(text)?.[0]
  return id && `<${id.replace(/[.:]$/, '')}>`
}

function headIn(part: Part): Fields {
  return divideHead(textOf(part)).fields
}

/** One group for the mail, and one for each recipient. */
function groupsOf(part: Part): Fields[] {
  const groups: Fields[] = []
  let rest = textOf(part).replace(/^\s{1,100}/, '')
  while (rest !== '' && groups.length < MAX_GROUPS) {
    const { fields, body } = divideHead(rest)
    groups.push(fields)
    // A line that is no field ends the report.
    if (body.length >= rest.length) break
    rest = body
  }
  return groups
}

function textOf({ body, encoding }: Part): string {
  return decodeTransfer(body.slice(0, MAX_REPORT_LENGTH), encoding, 'text').toString('latin1')
}

function actionOf(group: Fields): string {
  return (
    withoutComments(fieldOf(group, 'action') ?? '')
      .toLowerCase()
      .match(/[a-z]+/)?.[0] ?? ''
  )
}

function codeOf(group: Fields): string | undefined {
  return CODE.exec(fieldOf(group, 'status') ?? '')?.[0]
}

function subjectOf(root: Part): string {
  return decodeHeader(fieldOf(root.fields, 'subject') ?? '')
}

function partsOf(root: Part): Part[] {
  return [root, ...root.parts.flatMap(partsOf)]
}
