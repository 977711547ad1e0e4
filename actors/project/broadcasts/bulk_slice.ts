/**
 * Creates the contacts and messages of each slice of a broadcast. Status changes of the messages are reported to the
 * broadcast in batches.
 */
import { Refusal } from '../../../runtime/mod.ts'
import { outrunId } from '../../../storage/mod.ts'
import type { BulkRecipient, BulkSlice, Reported } from '../../broadcast/protocol.ts'
import { errorCatalogue } from '../../error_catalogue.ts'
import type { Provider, Providers } from '../../providers/mod.ts'
import { refusedVariables, templateVariables } from '../../providers/whatsapp/mod.ts'
import { accountOf } from '../channels/account.ts'
import { isCloud } from '../channels/cloud_channel.ts'
import { isUnwanted } from '../contacts/consent.ts'
import { contactOn, ensureContact } from '../contacts/contact.ts'
import { personOf } from '../contacts/identity.ts'
import { wantPerson } from '../contacts/person_reads.ts'
import { survivorOf } from '../contacts/reads.ts'
import { reservationOf, wantBudget } from '../costs/reserve.ts'
import { fileReads, filesOf, wantFiles } from '../files/files.ts'
import type { ProviderFailure } from '../messages/outcomes.ts'
import { queueMessage } from '../messages/queue_message.ts'
import { whiteSpaceIn } from '../templates/sendable_template.ts'
import { findTemplate, type TemplateFacts, wantTemplate } from '../templates/template_facts.ts'
import type { Receiver } from '../turn/feature.ts'
import type { ReadKind } from '../turn/records.ts'
import type { ProjectChannel } from '../turn/state.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/** Counts the slices of broadcasts in the turn. Reads nothing. */
const sliceReads: ReadKind<{ count: number }, { count: number }> = {
  keys: () => ({ count: 0 }),
  found: () => ({ count: 0 }),
  read(found, { count }) {
    found.count = count
    return undefined
  },
}

/** From a broadcast: create messages for these recipients. */
export const bulkSlice: Receiver<BulkSlice> = {
  reads(reads, { channel_id, template_name: name, language, recipients }) {
    reads.of(sliceReads).count++
    wantTemplate(reads, channel_id, { name, language })
    wantBudget(reads, { type: 'template', name, language })
    for (const { phone, variables } of recipients) {
      wantPerson(reads, 'whatsapp', phone, channel_id)
      wantFiles(reads, { type: 'template', name, language, variables })
    }
  },
  early: true,
  receive(turn, slice, { providers }) {
    const address = `broadcast/${slice.broadcast_id}` as const
    const queue = queueing(turn, slice, providers)
    let taken = 0
    for (const recipient of slice.recipients) {
      // Answers to it come later in the list of messages.
      outrunId(recipient.message_id)
      const error = queue(recipient)
      if (error === HELD) break
      taken++
      if (!error) continue
      const { index } = recipient
      const item: Reported = { index, from: 'pending', to: 'failed', error, has_message: false }
      turn.gather(address, 'statuses', item)
    }
    const held = slice.recipients.length - taken
    const together = turn.records.of(sliceReads).count
    turn.tell(address, { type: 'slice_taken', count: taken, together, ...(held > 0 && { held }) })
  },
}

/** The cap on marketing leaves no room for this recipient and the ones after. */
const HELD = 'held'

/** Creates and queues the message of a recipient, or returns the reason why there is none. */
function queueing(
  turn: ProjectTurn,
  { broadcast_id, channel_id, template_name: name, language }: BulkSlice,
  providers: Providers,
): (recipient: BulkRecipient) => ProviderFailure | typeof HELD | undefined {
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
    const refused = refusedVariables(template.components, recipient.variables)
    if (refused.length > 0) return failure('TEMPLATE_VARIABLE_INVALID', whiteSpaceIn(refused))
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
): ProviderFailure | typeof HELD | undefined {
  const message = { type: 'template' as const, name, language, variables }
  const kinds = filesOf(message)
  const person = personOf('whatsapp', phone)
  const { files } = turn.records.of(fileReads)
  const known = contactOn(turn, channel, person)
  if (known && isUnwanted(survivorOf(turn.records, known), template)) return OPTED_OUT
  let request: Record<string, unknown>
  try {
    request = provider.build(message, {
      account: accountOf(channel),
      to: person.user_id!,
      opaque: id,
      components: template.components,
      fileOf: (media_id) => files.of(media_id, channel, kinds.get(media_id)),
    })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { code, text } = error
    return { code, message: text ?? code }
  }
  const reserved = reservationOf(turn, person.user_id!, template.category)
  if (reserved === undefined) return HELD
  const contact = known ?? ensureContact(turn, channel, person)
  const queued = { id, to: phone, message, context: null, meta_data: null, reserved }
  queueMessage(turn, channel, contact, queued, request, { broadcast_id, broadcast_index: index })
  return undefined
}

/** The reason of a recipient who is left out. */
const OPTED_OUT = { code: 'RECIPIENT_OPTED_OUT', message: 'The recipient does not want marketing messages.' }

function failure(code: keyof typeof errorCatalogue, message: string = errorCatalogue[code].message): ProviderFailure {
  return { code, message }
}
