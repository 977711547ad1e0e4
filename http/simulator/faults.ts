import { ControlRefusal } from './answer.ts'

/** Time of a fault: `before` the provider takes the message, or `after` it did (the answer is lost). */
export type Moment = 'before' | 'after'

/** Faults in the status callbacks of one message, in place of sent, delivered, read. */
export type StatusBehaviour = {
  /** No callback is sent. */
  lose?: boolean
  /** Each callback is sent this many times (`true` is 2). */
  duplicate?: boolean | number
  /** The callbacks are sent in reverse order. */
  reorder?: boolean
  /** Milliseconds added to every callback. */
  late_ms?: number
  /** Callbacks do not wait for the answer of the send: with a latency they overtake it. */
  early?: boolean
  /** Statuses left out, e.g. `["delivered"]`. */
  skip?: string[]
  /** The message ends in a `failed` status with this provider code; `after` names the status it follows. */
  fail?: { code: number; after?: 'sent' | 'delivered' }
}

/** Faults of the provider for one request. */
export type Behaviour = {
  latency_ms?: number
  error?: { code: number; status?: number; retry_after?: number; message?: string }
  /** Answers like a broken proxy: status 502 with an HTML page. */
  garbage?: boolean
  statuses?: StatusBehaviour
  reset?: Moment
  hang?: Moment
}

/** The requests to which a rule applies; a missing field matches all. */
export type FaultMatch = {
  channel?: string
  /** Default `messages`; `*` for every operation. */
  operation?: string
  /** Digits or provider id; a trailing `*` makes it a prefix. */
  recipient?: string
  type?: string
  phone_number_id?: string
  /** Share of the matching requests to which it applies, 0 to 1. */
  rate?: number
}

export type FaultRule = Behaviour & { id: string; match: FaultMatch; times?: number; hits: number }

export type FaultSubject = {
  channel: string
  operation: string
  recipient?: string
  type?: string
  phone_number_id?: string
}

/** The list of fault rules, in the order they were added; of several that match, the earlier one wins field by field. */
export class Faults {
  #rules: FaultRule[] = []
  #sequence = 0
  readonly #random: () => number

  constructor(random: () => number) {
    this.#random = random
  }

  list(): FaultRule[] {
    return this.#rules
  }

  /** Adds a rule from a control request; throws ControlRefusal with a sentence when it is invalid. */
  add(body: Record<string, unknown>): FaultRule {
    const rule: FaultRule = { id: `flt_${++this.#sequence}`, hits: 0, ...checkRule(body) }
    this.#rules.push(rule)
    return rule
  }

  /** Removes one rule, or all; returns the number removed. */
  remove(id?: string): number {
    const before = this.#rules.length
    this.#rules = id === undefined ? [] : this.#rules.filter((rule) => rule.id !== id)
    return before - this.#rules.length
  }

  /** The behaviour of this request by all rules, on top of `base`; counts a hit on each rule that applied. */
  apply(subject: FaultSubject, base?: Behaviour): Behaviour | undefined {
    if (this.#rules.length === 0) return base
    let behaviour: Behaviour | undefined
    let spent = false
    for (const rule of this.#rules) {
      if (!matches(rule.match, subject)) continue
      if (rule.match.rate !== undefined && this.#random() >= rule.match.rate) continue
      rule.hits += 1
      if (rule.times !== undefined && --rule.times <= 0) spent = true
      const { id: _id, match: _match, times: _times, hits: _hits, ...effects } = rule
      behaviour = { ...effects, ...behaviour }
    }
    if (spent) this.#rules = this.#rules.filter((rule) => rule.times === undefined || rule.times > 0)
    return behaviour ? { ...base, ...behaviour } : base
  }
}

function matches(match: FaultMatch, subject: FaultSubject): boolean {
  const operation = match.operation ?? 'messages'
  if (operation !== '*' && operation !== subject.operation) return false
  if (match.channel && match.channel !== subject.channel) return false
  if (match.type && match.type !== subject.type) return false
  if (match.phone_number_id && match.phone_number_id !== subject.phone_number_id) return false
  if (!match.recipient) return true
  if (!subject.recipient) return false
  return match.recipient.endsWith('*')
    ? subject.recipient.startsWith(match.recipient.slice(0, -1))
    : subject.recipient === match.recipient
}

const MATCH_FIELDS = ['channel', 'operation', 'recipient', 'type', 'phone_number_id', 'rate']
const RULE_FIELDS = ['match', 'latency_ms', 'error', 'garbage', 'statuses', 'reset', 'hang', 'times']
const STATUS_FIELDS = ['lose', 'duplicate', 'reorder', 'late_ms', 'early', 'skip', 'fail']
const ERROR_FIELDS = ['code', 'status', 'retry_after', 'message']

function checkRule(body: Record<string, unknown>): Omit<FaultRule, 'id' | 'hits'> {
  onlyFields('A fault', body, RULE_FIELDS)
  const match = { ...objectField(body, 'match', MATCH_FIELDS) } as FaultMatch
  if (match.recipient) match.recipient = String(match.recipient).replace(/^\+/, '')
  if (match.rate !== undefined && !(Number(match.rate) >= 0 && Number(match.rate) <= 1))
    throw new ControlRefusal('match.rate is the share of requests to hit, a number from 0 to 1.')
  const rule: Omit<FaultRule, 'id' | 'hits'> = { match }
  const latency_ms = numberField(body, 'latency_ms')
  const times = numberField(body, 'times')
  const error = objectField(body, 'error', ERROR_FIELDS)
  const statuses = objectField(body, 'statuses', STATUS_FIELDS)
  const reset = momentField(body, 'reset')
  const hang = momentField(body, 'hang')
  if (latency_ms !== undefined) rule.latency_ms = latency_ms
  if (times !== undefined) rule.times = times
  if (body.garbage) rule.garbage = true
  if (reset) rule.reset = reset
  if (hang) rule.hang = hang
  if (error) {
    if (!Number.isInteger(error.code))
      throw new ControlRefusal('error.code must be a provider error code, e.g. 131026.')
    rule.error = error as Behaviour['error']
  }
  if (statuses) {
    const fail = statuses.fail as { code?: unknown } | undefined
    if (fail !== undefined && !Number.isInteger(fail?.code))
      throw new ControlRefusal('statuses.fail must be an object with a provider error code, e.g. { "code": 131026 }.')
    if (statuses.skip !== undefined && !Array.isArray(statuses.skip))
      throw new ControlRefusal('statuses.skip must be a list of statuses, e.g. ["delivered"].')
    rule.statuses = statuses as StatusBehaviour
  }
  if (Object.keys(rule).every((key) => key === 'match' || key === 'times'))
    throw new ControlRefusal('A fault needs an effect: latency_ms, error, garbage, statuses, reset or hang.')
  return rule
}

function onlyFields(what: string, value: Record<string, unknown>, known: string[]): void {
  for (const key of Object.keys(value))
    if (!known.includes(key)) throw new ControlRefusal(`${what} has no field "${key}"; it takes ${known.join(', ')}.`)
}

function objectField(body: Record<string, unknown>, key: string, known: string[]): Record<string, unknown> | undefined {
  const value = body[key]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'object' || Array.isArray(value)) throw new ControlRefusal(`${key} must be an object.`)
  onlyFields(key, value as Record<string, unknown>, known)
  return value as Record<string, unknown>
}

function numberField(body: Record<string, unknown>, key: string): number | undefined {
  const value = body[key]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'number' || !(value >= 0)) throw new ControlRefusal(`${key} must be a number, 0 or more.`)
  return value
}

function momentField(body: Record<string, unknown>, key: string): Moment | undefined {
  const value = body[key]
  if (value === undefined || value === null || value === false) return undefined
  if (value === true) return 'before'
  if (value === 'before' || value === 'after') return value
  throw new ControlRefusal(`${key} must be true, "before" (not accepted) or "after" (accepted, the answer is lost).`)
}
