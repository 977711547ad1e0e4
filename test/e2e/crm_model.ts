/** The model of the CRM: one contact, its tickets, their timelines and the events, after a sequence of requests. */
import { isDeepStrictEqual } from 'node:util'
import type { Json } from './client.ts'

/** The fields of a ticket that requests change, with tags and assignee by id. */
export type Fields = {
  is_closed: boolean
  resolution: 'won' | 'lost' | null
  priority: string | null
  category: string | null
  assigned_to: string | null
  custom_fields: Json
  amount: number | null
  amount_currency: string | null
  amount_status: string | null
  conversation_summary: Json
  tags: string[]
  stage: Record<string, string | null>
}

export type ModelTicket = {
  fields: Fields
  version: number
  unread: number
  timeline: [string, Json][]
  notes: string[]
}

/** An event of a webhook: its type, and enough of its data to tell it from others. */
export type Told = { type: string; ticket: number; what: Json }

/** The records that the operator has set up. */
export type Setting = { first_stage: string; last: { stage: string; tag: string; assignee: string } }

/** Returns the fields of an API record in the form of the model. */
export function fieldsOf(record: Json): Fields {
  const { is_closed, resolution, priority, category, custom_fields, amount, amount_currency, amount_status } = record
  const { conversation_summary, tags, assigned_to, stage } = record
  const plain = { is_closed, resolution, priority, category, custom_fields, amount, amount_currency, amount_status }
  const ids = tags.map(({ id }: Json) => id)
  return { ...plain, conversation_summary, stage, tags: ids, assigned_to: assigned_to?.id ?? null }
}

/** A status, or the status of an error with its code. */
export type Expected = number | [number, string]

export class ModelContact {
  readonly tickets: ModelTicket[] = []
  readonly told: Told[] = []
  readonly keys = new Set<number>()
  readonly setting: Setting

  constructor(setting: Setting) {
    this.setting = setting
  }

  get open(): ModelTicket | undefined {
    return this.tickets.find(({ fields }) => !fields.is_closed)
  }

  inbound(): void {
    this.#ensure().unread++
  }

  template(template: Json): void {
    if (this.open) this.#record(this.open, 'message.template_sent', template)
  }

  read(): void {
    if (this.open) this.open.unread = 0
  }

  note(ticket: ModelTicket, content: string): void {
    ticket.notes.push(content)
    this.#tell(ticket, 'crm.note.created', content)
  }

  /** Changes a ticket. `patch` has the form of the model. */
  patch(ticket: ModelTicket, patch: Partial<Fields>): Expected {
    const reopens = patch.is_closed === false && ticket.fields.is_closed
    if (reopens && this.open) return [409, 'TICKET_ALREADY_OPEN']
    this.#change(ticket, patch)
    return 200
  }

  move(ticket: ModelTicket, stage_id: string, texts: Json): Expected {
    const { fields } = ticket
    const { last } = this.setting
    if (fields.is_closed) return [409, 'TICKET_CLOSED']
    const stage = { ...fields.stage, ...texts, stage_id }
    if (stage_id === fields.stage.stage_id || stage_id !== last.stage) this.#change(ticket, { stage })
    else if (fields.category === null) return [422, 'STAGE_REQUIREMENTS_NOT_MET']
    else {
      const tags = [...new Set([...fields.tags, last.tag])]
      const rules = { priority: 'low', assigned_to: last.assignee, is_closed: true, resolution: 'won' } as const
      this.#change(ticket, { stage, tags, ...rules })
    }
    return 200
  }

  /** Records an event. `ticket` is set when the event names its ticket. */
  ingest(ticket: ModelTicket | undefined, data: Json, key: number | undefined): Expected {
    if (key !== undefined && this.keys.has(key)) return 200
    if (ticket?.fields.is_closed) return [422, 'TICKET_NOT_OPEN']
    if (key !== undefined) this.keys.add(key)
    const open = ticket ?? this.#ensure()
    this.#record(open, 'custom.order', data)
    if (data.total !== undefined) this.#change(open, { amount: data.total })
    return 201
  }

  #ensure(): ModelTicket {
    if (this.open) return this.open
    const stage = { stage_id: this.setting.first_stage, ...NO_TEXTS }
    const fields: Fields = { ...FRESH, stage, tags: [], custom_fields: {} }
    const ticket: ModelTicket = { fields, version: 1, unread: 0, timeline: [], notes: [] }
    this.tickets.push(ticket)
    this.#tell(ticket, 'crm.ticket.created', { version: 1, unread_count: 0, changed_fields: [] })
    this.#record(ticket, 'ticket.created', { stage_id: stage.stage_id })
    return ticket
  }

  #change(ticket: ModelTicket, patch: Partial<Fields>): void {
    const before = ticket.fields
    const after = { ...before, ...patch }
    const reopened = before.is_closed && !after.is_closed
    if (reopened && patch.resolution === undefined) after.resolution = null
    const changed = (Object.keys(after) as (keyof Fields)[]).filter(
      (name) => !isDeepStrictEqual(before[name], after[name]),
    )
    if (changed.length === 0) return
    ticket.fields = after
    ticket.version++
    const turned = before.is_closed !== after.is_closed
    const follows = (before.assigned_to === null) !== (after.assigned_to === null)
    const changed_fields = [...changed, ...(turned ? ['closed_at'] : []), ...(follows ? ['handled_by'] : [])].sort()
    const what = { version: ticket.version, unread_count: ticket.unread, changed_fields }
    this.#tell(ticket, 'crm.ticket.updated', what)
    const [stage_id, previous_stage_id] = [after.stage.stage_id, before.stage.stage_id]
    if (stage_id !== previous_stage_id) {
      this.#tell(ticket, 'crm.ticket.stage_changed', what)
      this.#record(ticket, 'ticket.stage_changed', { stage_id, previous_stage_id, user_id: null })
    }
    const [assigned_to, previous_assigned_to] = [after.assigned_to, before.assigned_to]
    if (assigned_to !== previous_assigned_to) {
      this.#record(ticket, 'ticket.assigned', { assigned_to, previous_assigned_to, user_id: null })
    }
    if (!turned) return
    this.#tell(ticket, `crm.ticket.${reopened ? 'reopened' : 'closed'}`, what)
    if (reopened) this.#record(ticket, 'ticket.reopened', { user_id: null })
    else this.#record(ticket, 'ticket.closed', { resolution: after.resolution, user_id: null })
  }

  #record(ticket: ModelTicket, event_type: string, data: Json): void {
    ticket.timeline.push([event_type, data])
    this.#tell(ticket, 'crm.event.recorded', [event_type, data])
  }

  #tell(ticket: ModelTicket, type: string, what: Json): void {
    this.told.push({ type, ticket: this.tickets.indexOf(ticket), what })
  }
}

const NO_TEXTS = { prioridad: null, contexto: null, problema: null, recomendaciones: null }
const FRESH = {
  is_closed: false,
  resolution: null,
  priority: null,
  category: null,
  assigned_to: null,
  amount: null,
  amount_currency: null,
  amount_status: null,
  conversation_summary: null,
}
