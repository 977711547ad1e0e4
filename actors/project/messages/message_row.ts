import { causeColumns } from '../../../runtime/mod.ts'
import { blank, Message } from '../../../storage/mod.ts'
import type { InboundEcho, InboundMessage } from '../../providers/mod.ts'
import type { ProjectChannel } from '../turn/state.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/** The row of a message that the provider tells. `fields` are those that depend on its direction. */
export function messageRow(
  turn: ProjectTurn,
  channel: ProjectChannel,
  { type, message, provider_message_id }: InboundEcho | InboundMessage,
  fields: Partial<Message> & Pick<Message, 'id' | 'direction' | 'status' | 'context'>,
): Message {
  return blank(Message, {
    company_id: turn.state.company_id,
    project_id: turn.state.project_id,
    channel: channel.channel_type,
    channel_id: channel.id,
    type,
    message,
    provider_message_id,
    confirmed: true,
    created_at: turn.now,
    updated_at: turn.now,
    ...causeColumns(turn.cause),
    ...fields,
  })
}
