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
const FAILED = new Set(['fail', 'softfail', 'permerror', 'policy'])

/**
 * Undefined when the mail system says nothing of it.
 *
 * @param system its name in the fields (`authserv-id`)
 * @param from the address of the sender
 */
export function authenticationIn(fields: Fields, system: string, from: string): Authentication | undefined {
  const domain = domainOf(from)
  const results = fieldsNamed(fields, 'authentication-results')
    .flatMap((field) => resultsIn(field, system))
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

/** The results of one field, if it is of this system. */
function resultsIn(field: string, system: string): Result[] {
  const [name = '', ...parts] = partsOf(withoutComments(field))
  const [id = ''] = wordsOf(name)
  if (id.toLowerCase() !== system.toLowerCase()) return []
  return parts.flatMap((part) => {
    const [first = '', ...others] = wordsOf(part)
    const [, method, result] = /^([a-z][\w-]*)(?:\/\d+)?=([a-z]+)$/i.exec(first) ?? []
    if (!method || !result) return []
    const properties = others.flatMap((word): [string, string][] => {
      const at = word.indexOf('=')
      return at < 0
        ? []
        : [
            [
              word.slice(0, at).toLowerCase(),
              word
                .slice(at + 1)
                .replaceAll('"', '')
                .toLowerCase(),
            ],
          ]
    })
    return [{ method: method.toLowerCase(), result: result.toLowerCase(), properties: new Map(properties) }]
  })
}

/** A semicolon within quotes divides nothing. */
function partsOf(field: string): string[] {
  const parts = ['']
  let is_quoted = false
  for (const character of field) {
    if (character === '"') is_quoted = !is_quoted
    if (character === ';' && !is_quoted) parts.push('')
    else parts[parts.length - 1] += character
  }
  return parts
}

function wordsOf(part: string): string[] {
  return part.trim().split(/\s+/)
}

function domainOf(address: string): string {
  return address
    .slice(address.lastIndexOf('@') + 1)
    .trim()
    .toLowerCase()
}
