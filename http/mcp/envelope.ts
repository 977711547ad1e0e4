/** The size of a message of the protocol beside the arguments of its tool. */
import { fieldsOf } from '../../actors/mod.ts'

/** Lists, objects and their members. Clients send a few dozen. */
const MAX_PARTS = 256

/**
 * True for a message with so many parts that the library would take long for it: of a list of wrong items it names each one
 * in its error. The arguments of a tool are checked by the operation.
 */
export function hasLargeEnvelope(message: unknown): boolean {
  const { method, params } = fieldsOf(message)
  const skipped = method === 'tools/call' ? fieldsOf(params).arguments : undefined
  let parts = 0
  const waiting: unknown[] = [message]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next !== 'object' || next === null || next === skipped) continue
    const members = Object.values(next)
    parts += members.length
    if (parts > MAX_PARTS) return true
    waiting.push(...members)
  }
  return false
}
