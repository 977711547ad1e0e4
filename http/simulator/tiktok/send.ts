import * as uWS from 'uWebSockets.js'
import { randomUUID } from 'node:crypto'
import type { Answer, SimulatorRequest } from '../answer.ts'
import { behaveAs } from '../behave.ts'
import type { Behaviour } from '../faults.ts'
import type { MagicRecipients } from '../magic.ts'
import type { SimulatedAccount } from '../options.ts'
import type { World } from '../provider.ts'
import type { ReceivedFiles } from '../received_files.ts'
import { planStatuses } from '../status_plan.ts'
import { contentOf, notify } from './callbacks.ts'
import { DIALECT, success, TikTokError } from './errors.ts'

type Json = Record<string, unknown>

const PICTURES = ['image/jpeg', 'image/jpg', 'image/png', 'image/webp']

/** The state of the simulated TikTok beside its accounts. */
export type TikTokState = {
  magic: MagicRecipients
  /** Pictures that were uploaded. */
  media: Set<string>
  files: ReceivedFiles
}

/** POST /business/message/send/. Throws TikTokError. */
export function postMessage(
  world: World,
  { magic, media }: TikTokState,
  account: SimulatedAccount,
  body: Json,
): Answer {
  const { account_id } = account
  const { recipient, type } = checkMessage(body, media)
  const behaviour = world.faults.apply(
    { channel: 'tiktok', operation: 'messages', recipient, type, phone_number_id: account_id },
    magic.behaviourOf(account_id, recipient),
  )
  return behaveAs(DIALECT, behaviour, world.settings.latency_ms, () => {
    if (!magic.isMagic(recipient) && !world.accounts.windows('tiktok').isOpen(account_id, recipient))
      throw new TikTokError(40064, 'The conversation is outside of its 48-hour window.')
    const id = randomUUID()
    const accepted_at = new Date(world.now()).toISOString()
    const kept = { phone_number_id: account_id, recipient, type, opaque_data: null, body }
    world.ledger.record({ id, accepted_at, channel: 'tiktok', ...kept })
    scheduleRead(world, account, recipient, behaviour)
    return success({ message: { message_id: id } })
  })
}

function checkMessage(body: Json, media: Set<string>): { recipient: string; type: string } {
  const { recipient, recipient_type, message_type } = body
  if (recipient_type !== 'CONVERSATION') throw new TikTokError(40002, 'recipient_type: must be CONVERSATION.')
  if (typeof recipient !== 'string' || recipient === '') throw new TikTokError(40002, 'recipient: is required.')
  const quoted = body.referenced_message_info as Json | undefined
  if (quoted !== undefined && typeof quoted.referenced_message_id !== 'string')
    throw new TikTokError(40002, 'referenced_message_info: needs referenced_message_id.')
  const node = body[String(message_type).toLowerCase()] as Json | undefined
  if (message_type === 'TEXT') {
    if (typeof node?.body !== 'string' || node.body === '') throw new TikTokError(40002, 'text.body: is required.')
    return { recipient, type: 'text' }
  }
  if (message_type !== 'IMAGE') throw new TikTokError(40002, 'message_type: must be one of TEXT, IMAGE.')
  if (typeof node?.media_id !== 'string') throw new TikTokError(40002, 'image.media_id: is required.')
  if (!media.has(node.media_id)) throw new TikTokError(40007, `Media ${node.media_id} does not exist.`)
  return { recipient, type: 'image' }
}

/** TikTok does not report deliveries. */
function scheduleRead(
  world: World,
  account: SimulatedAccount,
  conversation: string,
  behaviour: Behaviour | undefined,
): void {
  const { settings, schedule } = world
  const lead_ms = behaviour?.statuses?.early ? 0 : (behaviour?.latency_ms ?? settings.latency_ms)
  for (const { status, delay_ms } of planStatuses(settings.statuses, behaviour?.statuses)) {
    if (status !== 'read') continue
    schedule.after(lead_ms + delay_ms, () => {
      const last_read_timestamp = world.now()
      const content = contentOf(account, conversation, last_read_timestamp, 'simulated_person')
      notify(world, account, 'im_mark_read_msg', { ...content, read: { last_read_timestamp } }, `read ${conversation}`)
    })
  }
}

/** POST /business/message/media/upload/. Throws TikTokError. */
export function uploadMedia(
  world: World,
  { media }: TikTokState,
  account_id: string,
  request: SimulatorRequest,
): Answer {
  const parts = uWS.getParts(request.body, request.content_type) ?? []
  const behaviour = world.faults.apply({ channel: 'tiktok', operation: 'media', phone_number_id: account_id })
  return behaveAs(DIALECT, behaviour, world.settings.latency_ms, () => {
    const file = parts.find(({ name }) => name === 'file')
    if (!file) throw new TikTokError(40002, 'file: is required.')
    const type = (file.type ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
    if (!PICTURES.includes(type)) throw new TikTokError(40908, `A file of type ${type} is not supported.`)
    const media_id = randomUUID()
    media.add(media_id)
    return success({ media_id })
  })
}

/** The account named in the form of an upload. */
export function businessOf(request: SimulatorRequest): string | undefined {
  const parts = uWS.getParts(request.body, request.content_type) ?? []
  const part = parts.find(({ name }) => name === 'business_id')
  return part && Buffer.from(part.data).toString('utf8')
}
