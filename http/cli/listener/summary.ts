import { clip, printable } from '../terminal/terminal.ts'

const MAX_LENGTH = 80

/** Summarises an event in a few words: sender and text, message and status, changes of a ticket. */
export function summarize(data: unknown): string {
  const text = clip(printable(describe(data)), MAX_LENGTH)
  return at(data, '_test') === true ? `${text} (test)`.trim() : text
}

function describe(data: unknown): string {
  const event = at(data, 'event')
  // A thin payload has addresses.
  if (typeof event === 'string') return String(at(data, 'record') ?? event)
  const message = at(data, 'messages', 0)
  if (message) return `${phone(first(message, 'from', 'from_user_id'))} ${contentOf(message)}`
  const status = at(data, 'statuses', 0)
  if (status) return statusText(data, status)
  const ticket = at(data, 'ticket')
  if (ticket) {
    const changed = at(data, 'changed_fields')
    return [at(ticket, '_id'), ...(Array.isArray(changed) ? changed : [])].filter(Boolean).join(' ')
  }
  const record = first(data, 'contact', 'note', 'event', 'appointment') ?? data
  const id = first(record, '_id', 'id', 'channel_id')
  const name = first(record, 'name', 'full_name', 'content', 'event_type', 'kind')
  return [id, name, at(record, 'status')]
    .filter((part) => typeof part === 'string' || typeof part === 'number')
    .join(' ')
}

function statusText(data: unknown, status: unknown): string {
  const error = at(status, 'errors', 0)
  const reason = error ? `: ${at(error, 'code')} ${first(error, 'title', 'message') ?? ''}` : ''
  const id = at(data, 'message_id') ?? at(status, 'id') ?? ''
  return `${id} to ${phone(first(status, 'recipient_id', 'recipient_user_id'))}${reason}`
}

function contentOf(message: unknown): string {
  const type = String(at(message, 'type'))
  const content = at(message, type)
  const words = first(content, 'body', 'caption', 'text', 'emoji')
  if (typeof words === 'string') return type === 'text' ? `“${words}”` : `${type} “${words}”`
  const reply = at(content, 'button_reply', 'title') ?? at(content, 'list_reply', 'title')
  return reply ? `${type} “${reply}”` : type
}

const phone = (id: unknown) => (/^\d{6,15}$/.test(String(id)) ? `+${id}` : String(id ?? 'somebody'))

/** The value of the first of these fields that has one. */
function first(value: unknown, ...fields: string[]): unknown {
  return fields.map((field) => at(value, field)).find((one) => one != null)
}

/** The value at a path. Events are of every type, and of servers of any version, so any part may be missing. */
function at(value: unknown, ...path: (string | number)[]): unknown {
  return path.reduce<unknown>((one, key) => (one as Record<string, unknown> | null | undefined)?.[key], value)
}
