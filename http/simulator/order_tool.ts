/** A tool for agents, as a shop would offer it: tells the status of an order by its number. */
import { type Answer, controlError, ok, type SimulatorRequest } from './answer.ts'

const STATUSES = ['received', 'packed', 'shipped', 'delivered'] as const

/** The answer to a call of the tool; undefined for other paths. */
export function serveOrderTool({ method, segments, body }: SimulatorRequest): Answer | undefined {
  if (segments.join('/') !== 'tools/order_status') return undefined
  if (method !== 'POST') return controlError(405, 'METHOD_NOT_ALLOWED', '/tools/order_status takes POST.')
  const number = numberIn(body)
  if (!number) return controlError(400, 'VALIDATION_ERROR', 'number must be the number of an order, such as A1234.')
  return ok({ number, status: STATUSES[Number(number.at(-1)) % STATUSES.length] })
}

function numberIn(body: Buffer): string | undefined {
  try {
    const { number } = JSON.parse(body.toString('utf8'))
    return typeof number === 'string' && /^A\d{4}$/.test(number) ? number : undefined
  } catch {
    return undefined
  }
}
