/** The request of a bulk send, and what its refusal means. No DOM. */

import type { Fault } from '../../records/fault.ts'
import type { Form } from './composition_form.ts'

/** Answers that say nothing about whether the request was done. */
const UNDECIDED = [0, 401, 403, 404, 429]

/** True when the server has decided about the request and will not do it. */
export function isDecided({ status = 0, code }: Fault) {
  return (
    !UNDECIDED.includes(status) &&
    status < 500 &&
    code !== 'IDEMPOTENCY_IN_PROGRESS' &&
    code !== 'IDEMPOTENCY_KEY_REUSED'
  )
}

/** The body of the request. */
export function bulkRequest(
  { channel_id, template, campaign_name }: Form,
  people: readonly { phone: string; variables: Record<string, string> }[],
) {
  const name = campaign_name.trim()
  return {
    channel_id,
    template_name: template?.name,
    language: template?.language,
    ...(name && { campaign_name: name }),
    recipients: people.map(({ phone, variables }) => ({ phone, variables })),
  }
}
