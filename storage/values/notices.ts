/**
 * Notices come as messages of a person, who wrote nothing: news about the person (`system`, `request_welcome`), how the
 * person came (`referral`, `optin`), or about
 * another message (`edit`, `revoke`, pins, a reaction taken back). They are no work for anybody. Neither is what a person
 * says in a group: it is no part of the conversation with the person.
 */
import { sql } from '../sql/sql.ts'

type Content = { type: string; message: Record<string, unknown> }

const TYPES = [
  ...['system', 'request_welcome', 'referral', 'optin', 'account_linking'],
  ...['edit', 'revoke', 'pin', 'unpin'],
]

/** The answer to a request to be called. Consent of the person is what the business waits for; all else is news. */
type CallPermission = { response?: unknown; response_source?: unknown } | null | undefined

/** True for a message that is a notice, or was said in a group. */
export function isNotice({ type, message }: Content): boolean {
  if (typeof message.group_id === 'string') return true
  if (type === 'reaction') return message.emoji === ''
  if (type !== 'interactive' || message.interactive_type !== 'call_permission_reply') return TYPES.includes(type)
  const reply = message.call_permission_reply as CallPermission
  return reply?.response !== 'accept' || reply.response_source === 'automatic'
}

const CALL_PERMISSION = sql`message->>'interactive_type' = 'call_permission_reply'
  and (message->'call_permission_reply'->>'response' is distinct from 'accept'
    or message->'call_permission_reply'->>'response_source' = 'automatic')`

/** The same as a condition on the columns `type` and `message`; never null. */
export const IS_NOTICE = sql`case when message->>'group_id' is not null then true else case type when 'reaction' then coalesce(message->>'emoji' = '', false)
  when 'interactive' then coalesce(${CALL_PERMISSION}, false)
  else type in (${sql.join(
    TYPES.map((type) => sql`${type}`),
    ', ',
  )}) end end`
