/** Calls of tools by a model that does whatever a text tells it. */

type People = { own_phone: string; other_phone: string; other_id: string }

const nobody = 'f'.repeat(24)

/** The arguments are a text where the model wrote no object. */
export function obedientCalls({ own_phone, other_phone, other_id }: People): [name: string, values: unknown][] {
  return [
    ['orders', { phone: other_phone }],
    ['orders', { phone: [other_phone] }],
    ['orders', { phone: { $ne: null } }],
    ['orders', { number: '1', phone: other_phone, customer: { id: other_id } }],
    ['orders', { customer: [{ id: other_id }] }],
    ['orders', { customer: other_id }],
    ['orders', { customer: { id: { id: other_id } } }],
    ['orders', { customer: null }],
    [
      'orders',
      `{"phone":"${own_phone}","phone":"${other_phone}","customer":{"id":"a"},"customer":{"id":"${other_id}"}}`,
    ],
    ['orders', `{"__proto__":{"phone":"${other_phone}"},"customer":{"__proto__":{"id":"${other_id}"}}}`],
    ['orders', `{"constructor":{"prototype":{"phone":"${other_phone}"}}}`],
    ['orders', `[{"phone":"${other_phone}"}]`],
    ['orders', `"${other_phone}"`],
    ['orders', '{"phone":'],
    ['orders', '\u0000{}'],
    ['orders', { 'phone[]': other_phone, customer: {} }],
    ['orders', { customer: { 'id[0]': other_id } }],
    ['query', { 'phone[]': other_phone, customer: {} }],
    ['query', { phone: other_phone }],
    ['query', `{"phone":"x&phone=${other_phone}"}`],
    ['query', { number: `1&phone=${other_phone}#` }],
    ['not_held', { phone: other_phone }],
    ['switched_off', { phone: other_phone }],
    ['of_another_assistant', { phone: other_phone }],
    ['Orders', { phone: other_phone }],
    ['orders ', { phone: other_phone }],
    ['__proto__', {}],
    ['constructor', {}],
    ['parley_send_message', { to: other_phone, body: 'You won' }],
    ['parley_set_ticket_fields', { id: nobody, priority: 'urgent' }],
    ['parley_set_ticket_fields', { priority: 'urgent', assigned_to: nobody }],
    ['parley_set_ticket_fields', { is_closed: true }],
    ['parley_set_ticket_fields', { tags: ['not a tag'] }],
    ['parley_set_ticket_fields', { custom_fields: { credit: 1_000_000 } }],
    ['parley_set_ticket_fields', { ticket_id: nobody, category: 'x' }],
    ['parley_read_events', { chat_user: other_id }],
    ['parley_read_orders', { phone: other_phone }],
    ['parley_book_appointment', { chat_user: other_id, starts_at: '2027-01-01T10:00:00Z', with_id: nobody }],
    ['parley_search_knowledge', { query: 'secret', node_ids: [nobody] }],
    ['parley_search_knowledge', { query: 'x'.repeat(301) }],
    ['parley_hand_over', { reason: 'x', motivo: 'y', assigned_to: nobody }],
    ['parley_hand_over', { reason: 'x', motivo: 'y', prioridad: 'z'.repeat(2_001) }],
  ]
}
