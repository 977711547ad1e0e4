import { type Answer, ok, type SimulatorRequest } from '../answer.ts'
import type { WhatsAppNumber } from '../options.ts'
import { isElsewhere, type ThreadHolder, threadMoveOf } from '../threads.ts'
import type { WebhookOutcome } from '../webhook_sender.ts'
import type { Account } from './account.ts'
import { GraphError } from './requests/errors.ts'
import { parseJson } from './requests/request_body.ts'

type Json = Record<string, unknown>

const ROLES = ['ai_agent', 'ctwa', 'customer_service', 'escalation', 'marketing', 'utility']
const NOT_PERMITTED = 2494191

/**
 * POST /{number}/thread_control: the receiver of the webhook takes the conversation with a person, releases it or passes it to a
 * role. Throws GraphError.
 */
export function controlThread(
  { world }: Account,
  { phone_number_id }: WhatsAppNumber,
  request: SimulatorRequest,
): Answer {
  const { messaging_product, action, to, recipient, control_pass } = parseJson(request.body)
  if (messaging_product !== 'whatsapp')
    throw new GraphError(100, { message: '(#100) The parameter messaging_product is required.' })
  if ((to === undefined) === (recipient === undefined))
    throw new GraphError(100, { details: 'Exactly one of to and recipient is required.' })
  const person = String(to ?? recipient).replace(/^\+/, '')
  const { threads } = world
  const holder = threads.holderOf(phone_number_id, person)
  if (action === 'take') threads.move(phone_number_id, person, 'parley')
  else if (action === 'release' || action === 'pass') {
    if (holder !== 'parley' && !(action === 'release' && holder === 'nobody'))
      throw new GraphError(NOT_PERMITTED, { details: 'The thread is not owned by this app.' })
    threads.move(phone_number_id, person, action === 'release' ? 'nobody' : holderOfRole(control_pass))
  } else throw new GraphError(100, { details: 'action must be one of pass, release, take.' })
  return ok({ messaging_product: 'whatsapp', request_id: `A${world.now().toString(36)}` })
}

function holderOfRole(control_pass: unknown): ThreadHolder {
  const role = (control_pass as Json | undefined)?.target_role
  if (typeof role !== 'string' || !ROLES.includes(role))
    throw new GraphError(100, { details: `control_pass.target_role must be one of ${ROLES.join(', ')}.` })
  return role === 'ai_agent' ? 'meta_agent' : 'app'
}

/** The value of calls about a number, without its contents. */
export function aboutNumber({ display_phone_number, phone_number_id }: WhatsAppNumber): Json {
  const metadata = { display_phone_number: display_phone_number.replace(/\D/g, ''), phone_number_id }
  return { messaging_product: 'whatsapp', metadata }
}

const ROLE_OF: Record<ThreadHolder, string | undefined> = {
  parley: 'escalation',
  meta_agent: 'ai_agent',
  app: 'customer_service',
  nobody: undefined,
}

/** Another app moves the conversation. The receiver is told when it gets the conversation or loses it, as by Meta. */
export async function moveThread(
  account: Account,
  number: WhatsAppNumber,
  person: string,
  body: Json,
): Promise<Answer> {
  const { world, callbacks } = account
  const { holder, note } = threadMoveOf(body)
  const former = world.threads.move(number.phone_number_id, person, holder)
  const is_gain = holder === 'parley' && former !== 'parley'
  const is_loss = former === 'parley' && isElsewhere(holder)
  if (!is_gain && !is_loss) return ok({ holder, former, webhook: null })
  const type = is_gain ? 'control_passed' : 'control_taken'
  const { messaging_product, metadata } = aboutNumber(number)
  const roles = { previous_owner_role: ROLE_OF[former], new_owner_role: ROLE_OF[holder] }
  const item = {
    messaging_product,
    recipient: metadata,
    sender: { phone_number: person },
    timestamp: String(body.timestamp ?? Math.floor(world.now() / 1000)),
    type,
    [type]: { ...(note !== undefined && { metadata: note }), ...roles },
  }
  const webhook = await new Promise<WebhookOutcome>((resolve) =>
    callbacks.notify({ number, field: 'messaging_handovers', item, label: `${type} ${person}` }, resolve),
  )
  return ok({ holder, former, webhook })
}
