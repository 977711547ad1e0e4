/**
 * The requests to a growing project, by the name of their scenario. `{id}` is the id of a sampled record; `{n}` is a
 * new number each time.
 */
export type Operation = {
  method: string
  path: string
  body?: object
  of: 'contacts' | 'tickets' | 'subscription'
}

const data = { order: 'A-{n}', carrier: 'DHL', total: 129.9 }

export const operations: Record<string, Operation> = {
  'an event of a contact': {
    method: 'POST',
    path: '/v1/crm/events',
    body: { event_type: 'payment.link_sent', chat_user_id: '{id}', data },
    of: 'contacts',
  },
  'an event with an idempotency_key': {
    method: 'POST',
    path: '/v1/crm/events',
    body: { event_type: 'payment.link_sent', chat_user_id: '{id}', data, idempotency_key: 'order {n}' },
    of: 'contacts',
  },
  'a change of a ticket': {
    method: 'PATCH',
    path: '/v1/crm/tickets/{id}',
    body: { category: 'category {n}' },
    of: 'tickets',
  },
  'events of a contact': { method: 'GET', path: '/v1/crm/events?chat_user={id}', of: 'contacts' },
  'the newest events of a type': {
    method: 'GET',
    path: '/v1/crm/events?event_type=payment.link_sent',
    of: 'contacts',
  },
  'a search for customers that finds one': {
    method: 'GET',
    path: '/v1/crm/customers?search=quetzalc',
    of: 'contacts',
  },
  'a list of deliveries, all of them pending': {
    method: 'GET',
    path: '/v1/webhooks/{id}/deliveries?limit=50&status=pending',
    of: 'subscription',
  },
}
