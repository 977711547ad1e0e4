import { randomBytes } from 'node:crypto'
import { type Answer, ok, type SimulatorRequest } from '../answer.ts'
import { behaveAs } from '../behave.ts'
import type { Behaviour } from '../faults.ts'
import type { MagicRecipients } from '../magic.ts'
import type { SimulatedAccount } from '../options.ts'
import type { World } from '../provider.ts'
import { isElsewhere } from '../threads.ts'
import { type CheckedMessage, checkMessage } from './check.ts'
import { DIALECT, PageError } from './errors.ts'
import { scheduleStatuses } from './statuses.ts'

type Json = Record<string, unknown>

const HELD_ELSEWHERE = {
  subcode: 2018300,
  message: '(#10) Message failed to send because another app is controlling this thread now.',
}

/** POST /{account}/messages. Throws PageError. */
export function postMessage(
  world: World,
  magic: MagicRecipients,
  account: SimulatedAccount,
  request: SimulatorRequest,
): Answer {
  const body = parse(request.body)
  const { channel, account_id } = account
  const message = checkMessage(body, channel)
  const { recipient, type } = message
  const behaviour = world.faults.apply(
    { channel, operation: 'messages', recipient, type, phone_number_id: account_id },
    magic.behaviourOf(account_id, recipient),
  )
  return behaveAs(DIALECT, behaviour, world.settings.latency_ms, () => {
    const reachable = magic.isMagic(recipient) || world.accounts.windows(channel).isOpen(account_id, recipient)
    if (!reachable) throw new PageError(10)
    if (isElsewhere(world.threads.holderOf(account_id, recipient))) throw new PageError(10, HELD_ELSEWHERE)
    return accept(world, account, message, body, behaviour)
  })
}

function accept(
  world: World,
  account: SimulatedAccount,
  { recipient, type, opaque_data, is_message }: CheckedMessage,
  body: Json,
  behaviour: Behaviour | undefined,
): Answer {
  const { channel, account_id } = account
  const id = messageId(channel)
  const accepted_at = world.now()
  const kept = { phone_number_id: account_id, recipient, type, opaque_data, body }
  world.ledger.record({ id, accepted_at: new Date(accepted_at).toISOString(), channel, ...kept })
  if (!is_message) return ok({ recipient_id: recipient })
  scheduleStatuses(world, account, { id, recipient, accepted_at }, behaviour)
  return ok({ recipient_id: recipient, message_id: id })
}

export function messageId(channel: string): string {
  return channel === 'instagram'
    ? `aWdf${randomBytes(45).toString('base64url')}`
    : `m_${randomBytes(48).toString('base64url')}`
}

export function parse(bytes: Buffer): Json {
  try {
    const value = JSON.parse(bytes.toString('utf8')) as unknown
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json
  } catch {
    // Falls through to Graph's common error.
  }
  throw new PageError(100, { message: '(#100) The request body is not a valid JSON object.' })
}
