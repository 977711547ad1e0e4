/** Bulk sends as a client makes them and follows them. */
import { eventually, type Json } from './client.ts'
import { made, type Tenant } from './fixture.ts'

/** Waits for hundreds of messages at once on a busy machine, so that a slow answer does not count as a lost one. */
export const PATIENT = { send_ms: 10_000, confirm_ms: 20_000 }

export const ORDER = { template_name: 'order_update', language: 'en_US' }

/** Returns `n` different people, each with the variables of `order_update`. */
export function people(n: number, first = 0): { phone: string; variables: Record<string, string> }[] {
  return Array.from({ length: n }, (_, i) => ({
    phone: `+1555${String(2_000_000 + first + i)}`,
    variables: { 1: `Person ${first + i}`, 2: `A-${first + i}` },
  }))
}

const COUNTS = ['pending_count', 'sent_count', 'delivered_count', 'read_count', 'failed_count'] as const

export const countsOf = (record: Json): number[] => COUNTS.map((name) => record[name])

export const sumOf = (record: Json): number => countsOf(record).reduce((sum, count) => sum + count)

export async function sendBulk(tenant: Tenant, recipients: object[], fields: Json = {}): Promise<string> {
  return (await made(tenant.api('POST', 'messages/bulk', { ...ORDER, recipients, ...fields }))).broadcast_id
}

/** Resolves to the broadcast as soon as `is` accepts it. */
export function broadcastWhen(
  tenant: Tenant,
  id: string,
  what: string,
  is: (record: Json) => boolean,
  patience_ms?: number,
): Promise<Json> {
  const look = async () => {
    const { status, body } = await tenant.api('GET', `messages/bulk/${id}`)
    return status === 200 && is(body) && body
  }
  return eventually(`${id} ${what}`, look, patience_ms)
}

/** Returns the recipients of all pages. */
export async function recipientsOf(tenant: Tenant, id: string, query = ''): Promise<Json[]> {
  const all: Json[] = []
  for (let cursor = ''; ; ) {
    const page = await made(tenant.api('GET', `messages/bulk/${id}/recipients?limit=200${query}${cursor}`))
    all.push(...page.data)
    if (page.next_cursor === null) return all
    cursor = `&cursor=${page.next_cursor}`
  }
}
