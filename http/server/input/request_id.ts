import { randomBytes } from 'node:crypto'
import { isRequestId } from '../../../runtime/mod.ts'

/** Random once per process, then counted: unique without a random number per request. */
const process_part = randomBytes(9).toString('base64url')
let count = 0

/** The client's own request id when it is well-formed, else a new one. */
export function requestId(sent: string): string {
  return isRequestId(sent) ? sent : `req_${process_part}_${(count++).toString(36)}`
}
