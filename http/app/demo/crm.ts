/** What the demo has for the CRM: enough to see a ticket opened, written by an event, moved by rules and closed. */
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import {
  CrmEventType,
  Customer,
  objectId,
  Pipeline,
  PipelineStage,
  type StageRules,
  Tag,
} from '../../../storage/mod.ts'

type Tenant = { company_id: string; project_id: string; user_id: string }

const TAGS = { vip: '#8250df', refund: '#d1242f', question: '#0969da' }

const CUSTOMERS = [
  { full_name: 'Ana Ruiz', email: 'ana@example.com', phone: '+15551234567', tags: ['vip'] },
  { full_name: 'Luis Ortega', email: 'luis@example.com', phone: '+15551234568', tags: [] },
]

/** In the transaction that founds the tenant. Tickets are opened in the first stage of Sales. */
export async function foundDemoCrm(em: SqlEntityManager, { company_id, project_id, user_id }: Tenant, now: Date) {
  const stamps = { created_at: now, updated_at: now }
  const owner = { company_id, project_id }
  const tags = Object.entries(TAGS).map(([name, color]) => ({ _id: objectId(), ...owner, name, color, ...stamps }))
  await em.insertMany(Tag, tags)
  await em.insert(CrmEventType, {
    _id: objectId(),
    company_id,
    key: 'custom.order_shipped',
    name: 'Order shipped',
    is_system: false,
    fields: [
      { key: 'order_number', type: 'string', required: true },
      { key: 'total', type: 'number', required: false, target: 'ticket.amount' },
      { key: 'carrier', type: 'string', required: false, target: 'ticket.carrier' },
    ],
    ...stamps,
  })
  const customers = CUSTOMERS.map((customer) => ({
    _id: objectId(),
    company_id,
    custom_fields: {},
    ...customer,
    ...stamps,
  }))
  await em.insertMany(Customer, customers)

  const pipeline_id = objectId()
  await em.nativeUpdate(Pipeline, { project_id, is_default: true }, { is_default: false })
  await em.insert(Pipeline, { _id: pipeline_id, ...owner, name: 'Sales', is_default: true, ...stamps })
  const stages = Object.entries(stagesFor(user_id, tags[0]!._id)).map(([name, rules], position) => {
    return { _id: objectId(), pipeline_id, project_id, name, position, rules, assigned_count: 0, ...stamps }
  })
  await em.insertMany(PipelineStage, stages)
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
