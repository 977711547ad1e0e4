/** Where the record of an event can be read, and with which scope. */
import type { Scope } from '../scopes.ts'

type Data = Record<string, unknown>

type Access = {
  /** Undefined for events that no scope but `webhooks:read` guards. */
  scope?: Scope
  /** The path of the record in the API; null when it has none. */
  path(data: Data): string | null
}

const idOf = (record: unknown, name: string): string | null => {
  const id = (record as Data | null | undefined)?.[name]
  return typeof id === 'string' ? id : null
}

const under =
  (folder: string, name: string) =>
  (data: Data): string | null => {
    const id = idOf(data, name)
    return id && `${folder}/${id}`
  }

const message: Access = { scope: 'messages:read', path: under('/v1/messages', 'message_id') }

/** Access by the beginning of the type. The first match counts. */
const accesses: readonly [prefix: string, access: Access][] = [
  ['whatsapp.channel.', { path: () => null }],
  ['whatsapp.template.', { scope: 'messages:read', path: () => null }],
  ['whatsapp.flow.response', message],
  ['whatsapp.flow.', { scope: 'flows:read', path: under('/v1/flows', 'id') }],
  ['messages.broadcast.', { scope: 'messages:bulk', path: under('/v1/messages/bulk', 'id') }],
  [
    'crm.ticket.',
    {
      scope: 'crm:tickets:read',
      path: ({ ticket }) => {
        const id = idOf(ticket, '_id')
        return id && `/v1/crm/tickets/${id}`
      },
    },
  ],
  [
    'assistant.',
    {
      scope: 'assistants:read',
      path: ({ assistant_id, turn_id }) => `/v1/assistants/${assistant_id}/turns/${turn_id}`,
    },
  ],
  ['crm.contact.', { scope: 'contacts:read', path: under('/v1/contacts', '_id') }],
  ['crm.note.', { scope: 'crm:notes:read', path: under('/v1/crm/notes', '_id') }],
  ['crm.event.', { scope: 'crm:events:read', path: under('/v1/crm/events', '_id') }],
  [
    'scheduling.appointment.',
    { scope: 'scheduling:appointments:read', path: under('/v1/scheduling/appointments', 'id') },
  ],
  ['loyalty.', { scope: 'loyalty:read', path: under('/v1/loyalty/memberships', 'membership_id') }],
]

function accessOf(type: string): Access {
  return accesses.find(([prefix]) => type.startsWith(prefix))?.[1] ?? message
}

/** The scope that reads the record of an event of this type; undefined when none guards it. */
export function scopeOfEvent(type: string): Scope | undefined {
  return accessOf(type).scope
}

/** The path of the event's record; null when the API has no page of a single one. */
export function recordPath(type: string, data: Record<string, unknown>): string | null {
  return accessOf(type).path(data)
}
