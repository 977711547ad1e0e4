/** The mail to the owner of a disabled subscription. */
export type DisabledSubscription = {
  id: string
  name: string
  url: string
  /** Time of the first of the consecutive failures. */
  failing_since: Date
  /** Consecutive deliveries whose every attempt failed. */
  failure_count: number
  /** Error of the last delivery, such as `http_503`. */
  last_error: string | null
  /** Public address of the API, such as `https://api.example.com`. */
  base_url: string
  /** The receiver answered 410, and the subscription wants to be disabled then. */
  is_gone?: boolean
}

/** Subject and plain text. The query of the address is left out: it may hold keys. */
export function subscriptionDisabledMail(subscription: DisabledSubscription): { subject: string; text: string } {
  const { id, failing_since, failure_count, last_error, base_url, is_gone } = subscription
  const name = subscription.name.replaceAll(/\p{Cc}+/gu, ' ')
  const since = failing_since.toISOString()
  const webhook = `${base_url}/v1/webhooks/${id}`
  if (is_gone) return { subject: `Webhook "${name}" was switched off`, text: goneText(subscription, name, webhook) }
  const text = `The webhook subscription "${name}" was switched off.

  Subscription:  ${id}
  Address:       ${withoutQuery(subscription.url)}
  Failing since: ${since}
  Failed:        ${failure_count} deliveries in a row, each with all of its attempts
  Last error:    ${last_error ? inWords(last_error) : 'unknown'}

It gets no events until it is enabled again.

1. Mend the receiver. What each attempt met is at
   GET ${webhook}/deliveries?status=dead

2. Enable the subscription:
   curl -X PATCH ${webhook} \\
     -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
     -d '{"is_active":true}'

3. Have sent again what failed in the meantime:
   curl -X POST ${webhook}/recover \\
     -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
     -d '{"since":"${since}"}'

Events of the time while it is switched off are not among them.
`
  return { subject: `Webhook "${name}" was switched off`, text }
}

function withoutQuery(url: string): string {
  const query = url.indexOf('?')
  return query < 0 ? url : `${url.slice(0, query)}?…`
}

function inWords(error: string): string {
  const status = /^http_(\d{3})$/.exec(error)?.[1]
  return status ? `answered with HTTP status ${status}` : error
}

function goneText({ id, url, failing_since }: DisabledSubscription, name: string, webhook: string): string {
  return `The webhook subscription "${name}" was switched off, because its receiver answered 410 (Gone).

  Subscription:  ${id}
  Address:       ${withoutQuery(url)}
  Answered:      ${failing_since.toISOString()}

It gets no events until it is enabled again. If the receiver is still in use, give it another answer, and then:

   curl -X PATCH ${webhook} \\
     -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
     -d '{"is_active":true}'

If it is not, delete the subscription:

   curl -X DELETE ${webhook} -H "Authorization: Bearer $TOKEN"
`
}
