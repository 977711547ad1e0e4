/** The request of a bulk send, and what its refusal means. No DOM. */

/** Answers that say nothing about whether the request was done. */
const UNDECIDED = [0, 401, 403, 404, 429]

/**
 * True when the server has decided about the request and will not do it.
 *
 * @param {import('../../../page_types/fault.ts').Fault} fault
 */
export function isDecided({ status = 0, code }) {
  return (
    !UNDECIDED.includes(status) &&
    status < 500 &&
    code !== 'IDEMPOTENCY_IN_PROGRESS' &&
    code !== 'IDEMPOTENCY_KEY_REUSED'
  )
}

/**
 * The body of the request.
 *
 * @param {import('../../../page_types/composition.ts').Form} form
 * @param {readonly { phone: string, variables: Record<string, string> }[]} people
 */
export function bulkRequest({ channel_id, template, campaign_name }, people) {
  const name = campaign_name.trim()
  return {
    channel_id,
    template_name: template?.name,
    language: template?.language,
    ...(name && { campaign_name: name }),
    recipients: people.map(({ phone, variables }) => ({ phone, variables })),
  }
}
