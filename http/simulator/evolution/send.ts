import { type Answer, ok, type SimulatorRequest } from '../answer.ts'
import { behaveAs } from '../behave.ts'
import type { Behaviour } from '../faults.ts'
import type { EvolutionInstance } from '../options.ts'
import { planStatuses } from '../status_plan.ts'
import { DIALECT, GatewayError, requires } from './errors.ts'
import { type Gateway, type Json, keyId } from './gateway.ts'
import { NOT_ON_WHATSAPP } from './magic.ts'
import { OPERATIONS } from './message.ts'

/** `POST /message/{operation}/{instance}`. Throws GatewayError. */
export function postMessage(
  gateway: Gateway,
  instance: EvolutionInstance,
  operation: string,
  request: SimulatorRequest,
): Answer {
  const { world, magic } = gateway
  const body = parse(request.body)
  const is_reaction = operation === 'sendReaction'
  const make = OPERATIONS[operation]
  if (!make && !is_reaction) throw new GatewayError(404, [`Cannot POST /message/${operation}/${instance.instance}`])
  const recipient = is_reaction ? chatOf(body) : recipientOf(body)
  const { type, message } = make ? make(body) : reaction(body)
  const subject = { channel: 'whatsapp_qr', operation: 'messages', recipient, type, phone_number_id: instance.instance }
  const behaviour = world.faults.apply(subject, magic.behaviourOf(instance.instance, recipient))
  return behaveAs(DIALECT, behaviour, world.settings.latency_ms, () => {
    if (instance.state !== 'open') throw new GatewayError(400, ['Error: Connection Closed'])
    if (recipient === NOT_ON_WHATSAPP)
      throw new GatewayError(400, [{ jid: `${recipient}@s.whatsapp.net`, exists: false, number: recipient }])
    return accept(gateway, instance, { recipient, type, message, body }, behaviour)
  })
}

type Accepted = { recipient: string; type: string; message: Json; body: Json }

function accept(
  gateway: Gateway,
  instance: EvolutionInstance,
  { recipient, type, message, body }: Accepted,
  behaviour: Behaviour | undefined,
): Answer {
  const { world } = gateway
  // The sender may choose the id; WhatsApp treats two messages with one id as one message.
  const chosen = typeof body.messageId === 'string' ? body.messageId : null
  const id = chosen ?? `3EB0${keyId().slice(0, 18)}`
  const remoteJid = recipient.includes('@') ? recipient : `${recipient}@s.whatsapp.net`
  const record = {
    key: { remoteJid, fromMe: true, id },
    pushName: '',
    status: 'PENDING',
    message,
    contextInfo: null,
    messageType: Object.keys(message)[0],
    messageTimestamp: Math.floor(world.now() / 1000),
    instanceId: `id-of-${instance.instance}`,
    source: 'web',
  }
  world.ledger.record({
    id,
    accepted_at: new Date(world.now()).toISOString(),
    channel: 'whatsapp_qr',
    phone_number_id: instance.instance,
    recipient,
    type,
    opaque_data: chosen,
    body,
  })
  void gateway.tell(instance, 'send.message', record)
  const lead_ms = behaviour?.statuses?.early ? 0 : (behaviour?.latency_ms ?? world.settings.latency_ms)
  for (const { status, delay_ms } of planStatuses(world.settings.statuses, behaviour?.statuses))
    world.schedule.after(lead_ms + delay_ms, () => tellStatus(gateway, instance, { id, remoteJid, status }))
  return ok(record, 201)
}

const ACKS = { sent: 'SERVER_ACK', delivered: 'DELIVERY_ACK', read: 'READ', failed: 'ERROR' } as const

function tellStatus(
  gateway: Gateway,
  instance: EvolutionInstance,
  { id: keyId, remoteJid, status }: { id: string; remoteJid: string; status: keyof typeof ACKS },
): void {
  const instanceId = `id-of-${instance.instance}`
  void gateway.tell(instance, 'messages.update', { keyId, remoteJid, fromMe: true, status: ACKS[status], instanceId })
}

function recipientOf({ number }: Json): string {
  if (typeof number !== 'string' || number === '') throw requires('number')
  return number.includes('@') ? number : number.replace(/\D/g, '')
}

function keyOf({ key }: Json): Json {
  if (typeof key !== 'object' || key === null) throw requires('key')
  const { id, remoteJid, fromMe } = key as Json
  if (typeof id !== 'string') throw requires('id')
  if (typeof remoteJid !== 'string') throw requires('remoteJid')
  if (typeof fromMe !== 'boolean') throw requires('fromMe')
  return { id, remoteJid, fromMe }
}

function chatOf(body: Json): string {
  return String(keyOf(body).remoteJid).replace('@s.whatsapp.net', '')
}

function reaction(body: Json): { type: string; message: Json } {
  const { reaction } = body
  if (typeof reaction !== 'string' || /^[\w\s]+$/.test(reaction))
    throw new GatewayError(400, ['Reaction must be a single emoji or empty string'])
  return { type: 'reaction', message: { reactionMessage: { key: keyOf(body), text: reaction } } }
}

export function parse(bytes: Buffer): Json {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json
  } catch {
    // Falls through to the common error.
  }
  throw new GatewayError(400, ['The body is not a JSON object'])
}
