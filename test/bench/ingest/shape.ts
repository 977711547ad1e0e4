/** The event of all contestants: a shop tells that an order has left, in about 350 bytes. */

export const EVENT_TYPE = 'custom.order_shipped'

/** The fields of the type, as every contestant checks them. */
export const FIELDS = [
  { key: 'order', type: 'string', required: true },
  { key: 'carrier', type: 'string', required: true },
  { key: 'tracking_url', type: 'string', required: false },
  { key: 'total', type: 'number', required: true },
  { key: 'is_gift', type: 'boolean', required: false },
  { key: 'shipped_at', type: 'date', required: true },
  { key: 'labels', type: 'string[]', required: false },
]

/** Contacts of the hot project, each with an open ticket; in the other scenario, projects with one contact each. */
export const PEOPLE = 1000

/** The person of an operation, by the number of its key: the id of the contact and the token to use. */
export type Person = { chat_user_id: string; token: string }

export function dataOf(n: number): Record<string, unknown> {
  return {
    order: `A-${n}`,
    carrier: 'DHL',
    tracking_url: `https://tracking.example.com/parcels/00340434161094042557/${n}`,
    total: 129.9,
    is_gift: false,
    shipped_at: '2026-11-21T10:15:30Z',
    labels: ['express', 'insured'],
    warehouse: { code: 'MX-2', shelf: 14 },
  }
}

/** The variants of a scenario, joined by a space. */
export const MANY_PROJECTS = 'many-projects'
export const WITH_KEY = 'with-key'
export const HALF = 'half'
