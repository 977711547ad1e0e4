import { clip, printable } from '../terminal/terminal.ts'

// biome-ignore lint/suspicious/noExplicitAny: events of every type, of servers of any version
type Data = any

const MAX_LENGTH = 80

/** Summarises an event in a few words: sender and text, message and status, changes of a ticket. */
export function summarize(data: Data): string {
  const text = clip(printable(describe(data ?? {})), MAX_LENGTH)
  return data?._test === true ? `${text} (test)`.trim() : text
}

function describe(data: Data): string {
  // A thin payload has addresses.
  if (typeof data.event === 'string') return String(data.record ?? data.event)
  const message = data.messages?.[0]
  if (message) return `${phone(message.from ?? message.from_user_id)} ${contentOf(message)}`
  const status = data.statuses?.[0]
  if (status) return statusText(data, status)
  if (data.ticket) return [data.ticket._id, ...(data.changed_fields ?? [])].filter(Boolean).join(' ')
  const record = data.contact ?? data.note ?? data.event ?? data.appointment ?? data
  const id = record._id ?? record.id ?? record.channel_id
  const name = record.name ?? record.full_name ?? record.content ?? record.event_type ?? record.kind
  return [id, name, record.status].filter((part) => typeof part === 'string' || typeof part === 'number').join(' ')
}

function statusText(data: Data, status: Data): string {
  const [error] = status.errors ?? []
  const reason = error ? `: ${error.code} ${error.title ?? error.message ?? ''}` : ''
  return `${data.message_id ?? status.id ?? ''} to ${phone(status.recipient_id ?? status.recipient_user_id)}${reason}`
}

function contentOf(message: Data): string {
  const content = message[message.type]
  const words = content?.body ?? content?.caption ?? content?.text ?? content?.emoji
  if (typeof words === 'string') return message.type === 'text' ? `“${words}”` : `${message.type} “${words}”`
  const reply = content?.button_reply?.title ?? content?.list_reply?.title
  return reply ? `${message.type} “${reply}”` : String(message.type)
}

const phone = (id: unknown) => (/^\d{6,15}$/.test(String(id)) ? `+${id}` : String(id ?? 'somebody'))
