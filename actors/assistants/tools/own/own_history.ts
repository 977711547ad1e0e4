/** Facts that the business recorded about the person. */
import { readOwnEvents, readOwnOrders } from '../../../../storage/mod.ts'
import { type BuiltIn, object } from '../built_in.ts'
import { found } from '../result.ts'

const MOST = 20

export const readEventsTool: BuiltIn = {
  name: 'parley_read_events',
  description:
    'Reads what the systems of the business recorded about the person of this conversation, such as purchases and deliveries, newest first.',
  isOffered: ({ facts }) => facts.has_events,
  parameters: () => object({}),
  async run(_: object, { database, company_id, project_id, person }) {
    const chat_user = person.contact.id
    if (chat_user === null) return found({ events: [] })
    const owner = { company_id, project_id, chat_user }
    const events = await readOwnEvents(database, owner, MOST)
    return found({
      events: events.map(({ event_type, data, created_at }) => ({ type: event_type, at: new Date(created_at), data })),
    })
  },
}

export const readOrdersTool: BuiltIn = {
  name: 'parley_read_orders',
  description: 'Reads the orders that the person of this conversation sent in chats, newest first.',
  isOffered: ({ facts }) => facts.has_orders,
  parameters: () => object({}),
  async run(_: object, { database, project_id, person }) {
    const chat_user = person.contact.id
    if (chat_user === null) return found({ orders: [] })
    const orders = await readOwnOrders(database, { project_id, chat_user }, MOST)
    return found({
      orders: orders.map(({ message: { product_items, text, item_count, total, currency }, created_at }) => ({
        at: created_at,
        ...Object.fromEntries(
          Object.entries({ product_items, text, item_count, total, currency }).filter(
            ([, value]) => value !== undefined,
          ),
        ),
      })),
    })
  },
}
