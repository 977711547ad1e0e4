/**
 * Texts without the person whom they name. Names, numbers and addresses of the person become neutral ones wherever they stand as
 * words, in any case and with or without accents. Each text is searched once for each of the few facts, so it takes linear time.
 */
import { composed } from '../../storage/mod.ts'

export type PersonFacts = {
  names: readonly string[]
  phones: readonly string[]
  emails: readonly string[]
  /** Ids of Parley, of providers and of other systems. */
  ids: readonly string[]
}

const FIRST = 'Alex'
const LAST = 'Morgan'
const PHONE = '15550100000'
const EMAIL = 'person@example.com'
const ID = 'person-1'

/** Parts of names that are words of many sentences. */
const PARTICLES = new Set(
  'da das de del della den der des di do dos du el la las le les los van von vom zu zum zur bin al ibn y e und and'.split(
    ' ',
  ),
)
/** Digits of a number without those of its country. */
const LEAST_DIGITS = 7
const LOCAL_DIGITS = 9
/** Letters that are written without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const WORDLY = /[\p{L}\p{N}]/u
/** Characters in and around a telephone number. */
const NUMBERLIKE = /[+0-9][0-9 ()./-]{5,40}/g

type Replacement = { find: string; by: string }

export class Neutral {
  readonly #replacements: Replacement[]
  readonly #numbers: string[]

  constructor({ names, phones, emails, ids }: PersonFacts) {
    const found = new Map<string, string>()
    const add = (text: string, by: string) => {
      const find = folded(text.trim())
      if (find.length > 1 && !found.has(find)) found.set(find, by)
    }
    for (const email of emails) add(email, EMAIL)
    for (const id of ids) add(id, ID)
    for (const name of names) add(name, name.trim().includes(' ') ? `${FIRST} ${LAST}` : FIRST)
    for (const name of names) {
      const parts = name.split(/[\s,]+/).filter((part) => part !== '')
      for (const [at, part] of parts.entries()) {
        if (!PARTICLES.has(folded(part))) add(part, at === 0 ? FIRST : LAST)
      }
    }
    // A longer fact may have a shorter one in it.
    this.#replacements = [...found].map(([find, by]) => ({ find, by })).sort((a, b) => b.find.length - a.find.length)
    this.#numbers = [...new Set(phones.map(digitsOf).filter((digits) => digits.length >= LEAST_DIGITS))]
  }

  text(text: string): string {
    let result = composed(text).replace(NUMBERLIKE, (run) => this.#number(run))
    for (const replacement of this.#replacements) result = replaced(result, replacement)
    return result
  }

  /** A value of JSON with the names of its fields. */
  json(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value)
    if (typeof value === 'number') return this.#isOwn(String(value)) ? Number(PHONE) : value
    if (Array.isArray(value)) return value.map((one) => this.json(one))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [this.text(name), this.json(part)]))
  }

  #number(run: string): string {
    if (!this.#isOwn(digitsOf(run))) return run
    let end = run.length
    while (!/[0-9]/.test(run[end - 1]!)) end--
    return `${run.startsWith('+') ? '+' : ''}${PHONE}${run.slice(end)}`
  }

  /** True for a number of the person, also without the digits of its country. */
  #isOwn(digits: string): boolean {
    const local = digits.replace(/^0+/, '')
    if (local.length < LEAST_DIGITS) return false
    return this.#numbers.some((own) => own.endsWith(local) || digits.includes(own.slice(-LOCAL_DIGITS)))
  }
}

function digitsOf(text: string): string {
  return text.replace(/[^0-9]/g, '')
}

/** In small letters without accents, each character in its place. */
function folded(text: string): string {
  let result = ''
  for (let at = 0; at < text.length; at++) result += foldedUnit(text[at]!)
  return result
}

function foldedUnit(unit: string): string {
  const known = FOLDED.get(unit)
  if (known !== undefined) return known
  const small = composed(unit, 'NFKD')[0]!.toLowerCase()
  const kept = small.length === 1 ? small : unit
  if (FOLDED.size < 10_000) FOLDED.set(unit, kept)
  return kept
}

const FOLDED = new Map<string, string>()

function replaced(text: string, { find, by }: Replacement): string {
  const plain = folded(text)
  let result = ''
  let end = 0
  for (let at = plain.indexOf(find); at >= 0; at = plain.indexOf(find, at + 1)) {
    if (at < end || !isApart(plain, at, at + find.length)) continue
    result += text.slice(end, at) + by
    end = at + find.length
  }
  return result + text.slice(end)
}

/** True where a word begins at the first place and ends before the second. */
function isApart(text: string, from: number, to: number): boolean {
  return isEdge(text[from - 1], text[from]!) && isEdge(text[to], text[to - 1]!)
}

function isEdge(outside: string | undefined, inside: string): boolean {
  if (outside === undefined || !WORDLY.test(outside) || !WORDLY.test(inside)) return true
  return UNSPACED.test(outside) || UNSPACED.test(inside)
}
