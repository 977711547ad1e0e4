/** CRM records of the demo: enough to see a ticket opened, written by an event, moved by rules and closed. */
import { blank, Customer, type DemoRecords, objectId, type StageRules } from '../../../storage/mod.ts'

type Tenant = { company_id: string; project_id: string; user_id: string }

const TAGS = { vip: '#8250df', refund: '#d1242f', question: '#0969da' }

const CUSTOMERS = [
  { full_name: 'Ana Ruiz', email: 'ana@example.com', phone: '+15551234567', tags: ['vip'] },
  { full_name: 'Luis Ortega', email: 'luis@example.com', phone: '+15551234568', tags: [] },
]

/** Tickets are opened in the first stage of Sales. */
export function demoCrm(
  { company_id, project_id, user_id }: Tenant,
  now: Date,
): Pick<DemoRecords, 'tags' | 'event_types' | 'customers' | 'pipeline' | 'stages'> {
  const stamps = { created_at: now, updated_at: now }
  const owner = { company_id, project_id }
  const tags = Object.entries(TAGS).map(([name, color]) => ({ _id: objectId(), ...owner, name, color, ...stamps }))
  const order_shipped = {
    _id: objectId(),
    company_id,
    key: 'custom.order_shipped',
    name: 'Order shipped',
    is_system: false,
    fields: [
      { key: 'order_number', type: 'string' as const, required: true },
      { key: 'total', type: 'number' as const, required: false, target: 'ticket.amount' },
      { key: 'carrier', type: 'string' as const, required: false, target: 'ticket.carrier' },
    ],
    ...stamps,
  }
  const customers = CUSTOMERS.map((customer) =>
    blank(Customer, { _id: objectId(), company_id, custom_fields: {}, ...customer, ...stamps }),
  )
  const pipeline = { _id: objectId(), ...owner, name: 'Sales', is_default: true, ...stamps }
  const stages = Object.entries(stagesFor(user_id, tags[0]!._id)).map(([name, rules], position) => {
    const own = { _id: objectId(), pipeline_id: pipeline._id, project_id, name, position, rules, assigned_count: 0 }
    return { ...own, ...stamps }
  })
  return { tags, event_types: [order_shipped], customers, pipeline, stages }
}

function stagesFor(user_id: string, tag_id: string): Record<string, StageRules> {
  return {
    New: {},
    Offer: { require_fields: ['category'], set_fields: { amount_status: 'estimated' }, assign_to: [user_id] },
    Won: {
      require_fields: ['amount'],
      set_fields: { amount_status: 'confirmed' },
      add_tag_ids: [tag_id],
      close_with: 'won',
    },
    Lost: { close_with: 'lost' },
  }
}
