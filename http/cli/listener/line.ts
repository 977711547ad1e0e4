import { paint, printable } from '../terminal/terminal.ts'
import type { Forwarded } from './forward.ts'
import { summarize } from './summary.ts'
import { isGood, type Verdict } from './verify.ts'

export type Arrival = {
  received_at: Date
  /** The parsed body; undefined when it is not JSON. */
  event: { id?: string; type?: string; created_at?: string; data?: unknown } | undefined
  delivery_id: string
  attempt: number
  signature: Verdict
  forwarded: Forwarded | undefined
  /** Status of our answer. */
  status: number
}

/** One line for people: time, type, id, signature, attempt, and a summary. */
export function asLine(arrival: Arrival): string {
  const { received_at, event, attempt, signature, forwarded, status } = arrival
  const wrong = [signature.svc, signature.standard].filter((verdict) => verdict !== 'ok')
  const parts = [
    paint('dim', clock(received_at)),
    paint('bold', printable(String(event?.type ?? 'not an event'))),
    paint('dim', printable(String(event?.id ?? ''))),
    isGood(signature) ? paint('green', 'ok') : paint('red', `BAD (${wrong.join('; ')})`),
    paint(attempt > 1 ? 'yellow' : 'dim', `#${attempt}`),
    summarize(event?.data),
  ]
  const fate = forwarded?.error ? `→ ${forwarded.error}, so ${status}` : `→ ${status}`
  if (forwarded || status !== 200) parts.push(paint(status >= 200 && status < 300 ? 'green' : 'red', fate))
  return parts.filter(Boolean).join(' ')
}

/** The same and all the rest, for programs: one JSON document a line. */
export function asJson(arrival: Arrival): string {
  const { received_at, event, delivery_id, attempt, signature, forwarded, status } = arrival
  return JSON.stringify({
    received_at,
    type: event?.type ?? null,
    id: event?.id ?? null,
    delivery_id,
    attempt,
    signature: isGood(signature) ? 'ok' : 'bad',
    signatures: signature,
    status,
    forward: forwarded ? { status: forwarded.status, error: forwarded.error } : null,
    event: event ?? null,
  })
}

function clock(time: Date): string {
  const two = (number: number) => String(number).padStart(2, '0')
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':')
}
