import { type Answer, ControlRefusal, ok } from '../answer.ts'
import type { EvolutionInstance } from '../options.ts'
import { sampleOf } from '../sample_files.ts'
import { type Gateway, type Json, keyId } from './gateway.ts'

const FIELDS = ['channel', 'from', 'message', 'name', 'instance', 'context', 'id', 'timestamp', 'lid', 'by_business']
const FILES: Record<string, string> = {
  imageMessage: 'image/jpeg',
  videoMessage: 'video/mp4',
  audioMessage: 'audio/ogg; codecs=opus',
  documentMessage: 'application/pdf',
  stickerMessage: 'image/webp',
}

/**
 * Simulates a person's message to a paired phone and returns the receiver's answer. `message` is a text or a message of
 * WhatsApp's web protocol such as `{ imageMessage: { caption, data? } }`. Throws ControlRefusal.
 */
export async function injectInbound(gateway: Gateway, body: Json): Promise<Answer> {
  for (const key of Object.keys(body))
    if (!FIELDS.includes(key)) throw new ControlRefusal(`inbound has no field "${key}"; it takes ${FIELDS.join(', ')}.`)
  const instance = gateway.instances.choose(body.instance)
  if (!instance.webhook_url)
    throw new ControlRefusal(`Instance ${instance.instance} has no webhook_url.`, 409, 'NO_WEBHOOK')
  const id = typeof body.id === 'string' ? body.id : keyId()
  const message = filled(gateway, id, contentOf(body))
  const data = {
    key: { ...addressOf(body), fromMe: body.by_business === true, id, participant: '' },
    pushName: typeof body.name === 'string' ? body.name : 'Simulated Person',
    status: 'DELIVERY_ACK',
    message,
    contextInfo: contextOf(instance, body.context),
    messageType: Object.keys(message)[0],
    messageTimestamp: Number(body.timestamp ?? Math.floor(gateway.world.now() / 1000)),
    instanceId: `id-of-${instance.instance}`,
    source: 'android',
  }
  const webhook = await gateway.tell(instance, 'messages.upsert', data)
  return ok({ provider_message_id: id, instance: instance.instance, message: data, webhook })
}

/** With `lid`: a person whose number WhatsApp shows only beside a hidden address. */
function addressOf({ from, lid }: Json): Json {
  if (typeof from === 'string' && from.includes('@')) return { remoteJid: from }
  const digits = String(from ?? '').replace(/\D/g, '')
  if (!/^\d{5,20}$/.test(digits))
    throw new ControlRefusal('from is missing: a phone number such as "+15551234567", or an address such as "1@g.us".')
  const number = `${digits}@s.whatsapp.net`
  if (typeof lid !== 'string') return { remoteJid: number }
  return { remoteJid: number, remoteJidAlt: `${lid.replace(/\D/g, '')}@lid`, addressingMode: 'pn' }
}

function contentOf({ message }: Json): Json {
  if (typeof message === 'string') return { conversation: message }
  if (typeof message === 'object' && message !== null && !Array.isArray(message)) return { ...(message as Json) }
  throw new ControlRefusal('message must be a text or an object such as {"imageMessage":{"caption":"Hi"}}.')
}

/** Adds bytes to files: `data` in base64 when given, else a sample of the type. */
function filled(gateway: Gateway, id: string, content: Json): Json {
  for (const [field, usual] of Object.entries(FILES)) {
    const node = content[field]
    if (typeof node !== 'object' || node === null) continue
    const { data, ...rest } = node as Json
    const mimetype = String(rest.mimetype ?? usual)
    gateway.keepFile(id, {
      mimetype,
      filename: String(rest.fileName ?? field),
      data: String(data ?? sampleOf(mimetype)),
    })
    content[field] = { url: 'https://mmg.whatsapp.net/o1/v/t62.7118-24/simulated', ...rest, mimetype }
  }
  return content
}

function contextOf({ number }: EvolutionInstance, context: unknown): Json | null {
  const { message_id } = (context ?? {}) as Json
  return typeof message_id === 'string' ? { stanzaId: message_id, participant: `${number}@s.whatsapp.net` } : null
}
