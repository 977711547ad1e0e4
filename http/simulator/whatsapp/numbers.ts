import { createHash, createHmac } from 'node:crypto'
import { ControlRefusal } from '../answer.ts'
import type { WhatsAppNumber } from '../options.ts'
import { GraphError } from './requests/errors.ts'

const REQUIRED = [
  'phone_number_id',
  'display_phone_number',
  'business_account_id',
  'access_token',
  'app_secret',
  'verify_token',
] as const
const KNOWN: string[] = [...REQUIRED, 'webhook_url', 'verified_name']

/** The business numbers of the simulator and their permitted tokens. */
export class Numbers {
  readonly #by_id = new Map<string, WhatsAppNumber>()

  /** Adds a number, or changes the given fields of an existing one. Throws ControlRefusal. */
  put(fields: Record<string, unknown>): { record: WhatsAppNumber; added: boolean } {
    for (const [key, value] of Object.entries(fields)) {
      if (!KNOWN.includes(key))
        throw new ControlRefusal(`A number has no field "${key}"; it takes ${KNOWN.join(', ')}.`)
      if (typeof value !== 'string' && !(key === 'webhook_url' && value === null))
        throw new ControlRefusal(`${key} must be a string.`)
    }
    const known = this.#by_id.get(String(fields.phone_number_id))
    const number = { ...known, ...fields } as WhatsAppNumber
    for (const key of REQUIRED)
      if (!number[key]) throw new ControlRefusal(`${key} is missing: a new number needs ${REQUIRED.join(', ')}.`)
    if (number.webhook_url && !/^https?:\/\//.test(number.webhook_url))
      throw new ControlRefusal('webhook_url must be an http or https URL.')
    // Changed in place: callbacks under way follow the number to its new webhook.
    const kept = known ? Object.assign(known, number) : number
    this.#by_id.set(kept.phone_number_id, kept)
    return { record: kept, added: !known }
  }

  get(phone_number_id: string): WhatsAppNumber | undefined {
    return this.#by_id.get(phone_number_id)
  }

  all(): WhatsAppNumber[] {
    return [...this.#by_id.values()]
  }

  ofAccount(business_account_id: string): WhatsAppNumber[] {
    return this.all().filter((number) => number.business_account_id === business_account_id)
  }

  /** The token of an Authorization header; throws GraphError 190 when no number has it. */
  authenticate(authorization: string): string {
    const token = /^(?:Bearer|OAuth) +(\S+)$/i.exec(authorization)?.[1]
    if (!token)
      throw new GraphError(190, {
        message: 'An active access token must be used to query information about this object.',
      })
    for (const number of this.#by_id.values()) if (number.access_token === token) return token
    throw new GraphError(190, { message: 'Invalid OAuth access token - Cannot parse access token' })
  }
}

/** Graph's check of an `appsecret_proof`, which callers may give with a token. Throws GraphError 100 for a wrong one. */
export function checkProof({ access_token, app_secret }: WhatsAppNumber, proof: string | null): void {
  if (proof === null || proof === createHmac('sha256', app_secret).update(access_token).digest('hex')) return
  throw new GraphError(100, { message: 'Invalid appsecret_proof provided in the API argument' })
}

/** Graph's error for an object that does not exist or is not the caller's; the two look the same. */
export function unknownObject(id: string, method: string): GraphError {
  const verb = method === 'GET' ? 'get' : method === 'DELETE' ? 'delete' : 'post'
  return new GraphError(100, {
    subcode: 33,
    message: `Unsupported ${verb} request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`,
  })
}

/** The business-scoped user id of a phone: stable, and not derivable from the phone by a client. */
export function userIdOf(phone: string): string {
  return `US.${BigInt(`0x${createHash('sha256').update(phone).digest('hex').slice(0, 16)}`)}`
}

/**
 * The number by which WhatsApp knows a phone: in Mexico with a 1 and in Argentina with a 9 after the country code; in
 * Brazil without the ninth digit from area code 31 on. Digits.
 */
export function waIdOf(digits: string): string {
  return digits
    .replace(/^52([2-9]\d{9})$/, '521$1')
    .replace(/^54([1-8]\d{9})$/, '549$1')
    .replace(/^55([12]\d)([6-9]\d{7})$/, '55$19$2')
    .replace(/^55([3-9]\d)9([6-9]\d{7})$/, '55$1$2')
}
