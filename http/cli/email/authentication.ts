/**
 * The verdict of the receiving mail system on the sender's address (RFC 8601). Anybody can write the field into a mail, so only
 * those with the name of our own system count: it removes those that came with a mail.
 */
import { type Fields, fieldsNamed } from './mime/head.ts'
import { withoutComments } from './mime/words.ts'

export type Authentication = 'pass' | 'fail'

type Result = { method: string; result: string; properties: Map<string, string> }

/** Results of one mail that are read; systems write about six. */
const MAX_RESULTS = 100
/** Errors of a record, of a signature or of the network refute nobody. `hardfail` is of RFC 5451. */
const FAILED = new Set(['fail', 'softfail', 'hardfail'])

/**
 * Undefined when the mail system says nothing of it.
 *
 * @param systems its names in the fields (`authserv-id`), divided by commas; `.example.com` is any name below example.com
 * @param from the address of the sender
 */
export function authenticationIn(fields: Fields, systems: string, from: string): Authentication | undefined {
  const domain = domainOf(from)
  const results = fieldsNamed(fields, 'authentication-results')
    .flatMap((field) => resultsIn(field, systems))
    .slice(0, MAX_RESULTS)
  const dmarc = results.find(({ method, result }) => method === 'dmarc' && result !== 'none')
  if (dmarc?.result === 'pass')
    return isAligned(dmarc.properties.get('header.from') ?? domain, domain) ? 'pass' : undefined
  if (dmarc && FAILED.has(dmarc.result)) return 'fail'
  if (results.some((one) => one.result === 'pass' && provesDomain(one, domain))) return 'pass'
  return results.some(({ method, result }) => /^(?:dkim|spf)$/.test(method) && FAILED.has(result)) ? 'fail' : undefined
}

/** A signature, an envelope or an account of the domain. */
function provesDomain({ method, properties }: Result, domain: string): boolean {
  const of = (name: string) => isAligned(domainOf(properties.get(name) ?? ''), domain)
  if (method === 'dkim') return of('header.d') || of('header.i')
  if (method === 'spf') return of('smtp.mailfrom')
  return method === 'auth' && of('smtp.auth')
}

/** Relaxed, as DMARC has it: one is the other, or below it. */
function isAligned(one: string, other: string): boolean {
  if (!one.includes('.') || !other.includes('.')) return one !== '' && one === other
  return one === other || one.endsWith(`.${other}`) || other.endsWith(`.${one}`)
}

/**
 * The results of one field, if it is of this system. Senders choose the local parts of addresses in it, so that what is quoted
 * divides nothing. Where quotes do not close, it is unknown what is whose: such a field proves nothing, and its failures count.
 */
function resultsIn(field: string, systems: string): Result[] {
  const { parts, is_closed } = partsOf(withoutComments(field))
  const [[id = ''] = [], ...others] = parts
  if (!isOf(systems, id)) return []
  const results = others.flatMap(([first = '', ...properties]): Result[] => {
    const [, method, result] = /^([a-z][\w-]*)(?:\/\d+)?=([a-z]+)$/i.exec(first) ?? []
    if (!method || !result) return []
    return [
      { method: method.toLowerCase(), result: result.toLowerCase(), properties: new Map(properties.flatMap(pairOf)) },
    ]
  })
  return is_closed ? results : results.filter(({ result }) => result !== 'pass')
}

function isOf(systems: string, id: string): boolean {
  const name = id.toLowerCase()
  return systems
    .toLowerCase()
    .split(/[\s,]+/)
    .some((system) => system !== '' && (system.startsWith('.') ? name.endsWith(system) : name === system))
}

function pairOf(word: string): [string, string][] {
  const at = word.indexOf('=')
  return at < 0 ? [] : [[word.slice(0, at).toLowerCase(), word.slice(at + 1).toLowerCase()]]
}

/** The words of each part, without their quotes. Quotes that do not close are text. */
function partsOf(field: string): { parts: string[][]; is_closed: boolean } {
  const is_closed = closesQuotes(field)
  const parts: string[][] = [[]]
  let word = ''
  const endWord = () => {
    if (word !== '') parts.at(-1)!.push(word)
    word = ''
  }
  for (const [token] of field.matchAll(is_closed ? TOKEN : TOKEN_WITHOUT_QUOTES)) {
    if (token === ';') {
      endWord()
      parts.push([])
    } else if (is_closed && token.startsWith('"')) word += token.slice(1, -1).replaceAll(/\\(.)/gs, '$1')
    else if (token.trim() === '') endWord()
    else word += token
  }
  endWord()
  return { parts, is_closed }
}

/** For fields whose quotes close. */
const TOKEN = /;|\s+|"(?:[^"\\]|\\.)*"|[^;\s"]+/gs
const TOKEN_WITHOUT_QUOTES = /;|\s+|[^;\s]+/g

function closesQuotes(field: string): boolean {
  let is_quoted = false
  for (let at = 0; at < field.length; at++) {
    if (is_quoted && field[at] === '\\') at++
    else if (field[at] === '"') is_quoted = !is_quoted
  }
  return !is_quoted
}

function domainOf(address: string): string {
  return address
    .slice(address.lastIndexOf('@') + 1)
    .trim()
    .toLowerCase()
}
