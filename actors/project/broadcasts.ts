/**
 * Bulk sends, as far as they are the project's: it makes the broadcast, and the contacts and messages of each slice that
 * the broadcast hands on. What becomes of the messages is told to the broadcast, gathered.
 */
import { Refusal } from '../../runtime/mod.ts'
import { Broadcast, type BroadcastRecord, type Message, toBroadcastRecord } from '../../storage/mod.ts'
import type { Reported } from '../broadcast/actor.ts'
import { errorCatalogue } from '../error_catalogue.ts'
import type { Provider, Providers } from '../providers/mod.ts'
import { templateVariables } from '../providers/whatsapp/mod.ts'
import { isCloud } from './cloud_channel.ts'
import { ensureContact } from './contacts.ts'
import { emit, type ProjectTurn } from './events.ts'
import { accountOf } from './inbound_call.ts'
import type { ProviderFailure } from './protocol.ts'
import { queueMessage } from './send_message.ts'
import type { ProjectChannel, TemplateFacts } from './state.ts'
import { findTemplate, templateWarnings } from './template_status.ts'
import { personOf } from './wants.ts'

/** A bulk send whose recipients are stored. Applying it again changes nothing. */
export type CreateBroadcast = { type: 'create_broadcast' } & Pick<
  Broadcast,
  'id' | 'channel_id' | 'template_name' | 'language' | 'campaign_name' | 'total'
>

/** Recipients for whom the project is to make messages. */
export type BulkSlice = Pick<Broadcast, 'channel_id' | 'template_name' | 'language'> & {
  broadcast_id: string
  recipients: BulkRecipient[]
}
type BulkRecipient = {
  index: number
  message_id: string
  phone: string
  variables: Record<string, string>
  /** Why there is to be no message, said when the broadcast was made. */
  error?: ProviderFailure | undefined
}

/** What the client is answered. */
export function createBroadcast(turn: ProjectTurn, { type: _, ...fields }: CreateBroadcast): object {
  const { broadcasts } = turn.records
  const { company_id, project_id } = turn.state
  const { id, total } = fields
  const template = { name: fields.template_name, language: fields.language }
  const warnings = templateWarnings(template, findTemplate(turn, fields.channel_id, template))
  const answer = { broadcast_id: id, status: 'queued', total, warnings }
  if (broadcasts.has(id)) return answer
  const counts = { pending_count: total, sent_count: 0, delivered_count: 0, read_count: 0, failed_count: 0 }
  const times = { created_at: turn.now, started_at: null, completed_at: null, updated_at: turn.now }
  const progress = { status: 'queued' as const, taken_up: 0, handed_on: 0 }
  const row: Broadcast = { ...fields, company_id, project_id, ...progress, ...counts, ...times }
  turn.insert(Broadcast, row)
  turn.live(project_id, () => ({ type: 'broadcast.progress', data: toBroadcastRecord(row) }))
  broadcasts.add(id)
  turn.tell(`broadcast/${id}`, { type: 'begin' })
  return answer
}

export function takeSlice(turn: ProjectTurn, slice: BulkSlice, providers: Providers): void {
  const address = `broadcast/${slice.broadcast_id}`
  const queue = queueing(turn, slice, providers)
  for (const recipient of slice.recipients) {
    const error = queue(recipient)
    if (!error) continue
    const { index } = recipient
    const item: Reported = { index, from: 'pending', to: 'failed', error, has_message: false }
    turn.gather(address, 'statuses', item)
  }
  const { length: count } = slice.recipients
  turn.tell(address, { type: 'slice_taken', count, together: turn.records.slices })
}

/** Makes and queues the message of a recipient, or says why there is none. */
function queueing(
  turn: ProjectTurn,
  { broadcast_id, channel_id, template_name: name, language }: BulkSlice,
  providers: Providers,
): (recipient: BulkRecipient) => ProviderFailure | undefined {
  const channel = turn.state.channels.get(channel_id)
  const provider = channel?.is_active && isCloud(channel) ? providers.of(channel) : undefined
  const template = findTemplate(turn, channel_id, { name, language })
  if (!channel || !provider) return () => failure('CHANNEL_NOT_CONNECTED')
  if (!template) return () => failure('TEMPLATE_NOT_FOUND')
  const needed = templateVariables(template.components)
  return (recipient) => {
    if (recipient.error) return recipient.error
    const missing = needed.filter((variable) => !Object.hasOwn(recipient.variables, variable))
    if (missing.length > 0) {
      return failure(
        'TEMPLATE_VARIABLE_MISSING',
        `The template needs variables that are missing: ${missing.join(', ')}.`,
      )
    }
    return queueOne(turn, { channel, provider, template, broadcast_id, name, language }, recipient)
  }
}

type Sending = {
  channel: ProjectChannel
  provider: Provider
  template: TemplateFacts
  broadcast_id: string
  name: string
  language: string
}

function queueOne(
  turn: ProjectTurn,
  { channel, provider, template, broadcast_id, name, language }: Sending,
  { index, message_id: id, phone, variables }: BulkRecipient,
): ProviderFailure | undefined {
  const message = { type: 'template' as const, name, language, variables }
  const person = personOf('whatsapp', phone)
  let request: Record<string, unknown>
  try {
    request = provider.build(message, {
      account: accountOf(channel),
      to: person.user_id!,
      opaque: id,
      components: template.components,
      fileOf: (media_id) => turn.records.files.of(media_id, channel),
    })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { code, text } = error
    return { code, message: text ?? code }
  }
  const contact = ensureContact(turn, channel, person)
  const queued = { id, to: phone, message, context: null, meta_data: null }
  queueMessage(turn, channel, contact, queued, request, { broadcast_id, broadcast_index: index })
  return undefined
}

function failure(code: keyof typeof errorCatalogue, message: string = errorCatalogue[code].message): ProviderFailure {
  return { code, message }
}

/** From the broadcast: what has not begun to leave is called back. It comes after the slices that it is about. */
export function withdrawBulk(
  turn: ProjectTurn,
  { channel_id, message_ids }: { channel_id: string; message_ids: string[] },
): void {
  turn.tell(`channel/${channel_id}`, { type: 'withdraw', message_ids })
}

/** A message of a broadcast changed. */
export function reportToBroadcast(turn: ProjectTurn, row: Message, from: Message['status']): void {
  if (!row.broadcast_id) return
  const item: Reported = {
    index: row.broadcast_index!,
    from: toRecipientStatus(from),
    to: toRecipientStatus(row.status),
    error: (row.error ?? null) as Reported['error'],
    has_message: true,
  }
  turn.gather(`broadcast/${row.broadcast_id}`, 'statuses', item)
}

function toRecipientStatus(status: Message['status']): Reported['from'] {
  return status === 'queued' ? 'pending' : (status as Reported['from'])
}

export function broadcastEnded(turn: ProjectTurn, { record }: { record: BroadcastRecord }): void {
  emit(turn, `messages.broadcast.${record.status}`, record, null)
}
