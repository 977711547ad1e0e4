/**
 * Texts without the person whom they name. Names, numbers and addresses of the person become neutral ones wherever they stand as
 * words, in any case and with or without accents. A text is gone through once for all facts together: a name may have a hundred
 * parts, and what a person writes megabytes.
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

/** Characters of a fact, or of a number as it is written. */
const MAX_FACT = 500

/** The facts that begin with the same characters. `by`: what one that ends here becomes. */
type Branch = { next: Map<string, Branch>; by: string | null }

type Found = { end: number; by: string }

export class Neutral {
  readonly #facts: Branch = branch()
  readonly #numbers: string[]

  constructor({ names, phones, emails, ids }: PersonFacts) {
    const add = (text: string, by: string) => {
      const find = folded(text.trim()).slice(0, MAX_FACT)
      if (find.length > 1) keep(this.#facts, find, by)
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
    this.#numbers = [...new Set(phones.map(digitsOf).filter((digits) => digits.length >= LEAST_DIGITS))]
  }

  /** `most`: characters of the text after which the rest is left out. */
  text(text: string, most = Number.POSITIVE_INFINITY): string {
    const known = composed(text.slice(0, most + MAX_FACT))
    const plain = folded(known)
    const numbers = new Map([...known.matchAll(NUMBERLIKE)].map((match) => [match.index, match[0]]))
    const end = Math.min(known.length, most)
    let result = ''
    let kept = 0
    for (let at = 0; at < end; ) {
      const found = this.#numberAt(at, numbers.get(at)) ?? this.#factAt(plain, at)
      if (found) {
        result += known.slice(kept, at) + found.by
        kept = found.end
      }
      at = found?.end ?? at + 1
    }
    return (result + known.slice(kept, Math.max(kept, end))).slice(0, most)
  }

  /** A value of JSON with the names of its fields. */
  json(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value)
    if (typeof value === 'number') return this.#isOwn(String(value)) ? Number(PHONE) : value
    if (Array.isArray(value)) return value.map((one) => this.json(one))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [this.text(name), this.json(part)]))
  }

  #numberAt(at: number, run: string | undefined): Found | undefined {
    if (run === undefined || !this.#isOwn(digitsOf(run))) return undefined
    let end = run.length
    while (!/[0-9]/.test(run[end - 1]!)) end--
    return { end: at + end, by: `${run.startsWith('+') ? '+' : ''}${PHONE}` }
  }

  /** The longest fact that stands here as a word: it may have a shorter one in it. */
  #factAt(plain: string, from: number): Found | undefined {
    let one = this.#facts.next.get(plain[from]!)
    if (!one || !isEdge(plain[from - 1], plain[from]!)) return undefined
    let found: Found | undefined
    for (let end = from + 1; one; end++) {
      if (one.by !== null && isEdge(plain[end], plain[end - 1]!)) found = { end, by: one.by }
      one = one.next.get(plain[end] ?? '')
    }
    return found
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

function branch(): Branch {
  return { next: new Map(), by: null }
}

/** The first of equal facts counts. */
function keep(facts: Branch, find: string, by: string): void {
  let one = facts
  for (const unit of find.split('')) {
    const next = one.next.get(unit) ?? branch()
    one.next.set(unit, next)
    one = next
  }
  one.by ??= by
}

/** In small letters without accents, each character in its place. */
function folded(text: string): string {
  return text.replace(/[A-Z]|[^\0-\x7f]/g, foldedUnit)
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

/** True where a word begins or ends between the two characters. */
function isEdge(outside: string | undefined, inside: string): boolean {
  if (outside === undefined || !WORDLY.test(outside) || !WORDLY.test(inside)) return true
  return UNSPACED.test(outside) || UNSPACED.test(inside)
}
