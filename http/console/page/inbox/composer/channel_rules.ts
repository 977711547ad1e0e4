/**
 * The rules of a contact's channel for messages: the types it carries, the length of a text, the files it takes, and the
 * reply window. The server decides; the composer says the same before anything is sent. No DOM, no state.
 */

import type { Composing, Definitions } from '../../records/definitions.ts'
import type { AnyRecord } from '../../records/record.ts'

export type Channel = Definitions['channels'][number]

const MIB = 1024 * 1024
/** Characters of a caption. */
export const MAX_CAPTION = 1024
/** Files of one message that is being written. */
export const MAX_FILES = 10

/** Stands for a channel where files belong to a note: any kind, as large as an upload. */
export const FILES_OF_NOTES = {
  _id: 'none',
  name: 'Notes',
  channel_type: 'note',
  provider: '',
  provider_account_id: null,
  is_active: true,
  status: '',
  status_reason: null,
  messages_per_second: null,
  composing: {
    message_types: { image: 'yes', video: 'yes', audio: 'yes', document: 'yes' },
    text_limit: { most: 5000, unit: 'characters' },
    has_captions: false,
    file_types: null,
    most_file_bytes: 100 * 1024 * 1024,
  },
} satisfies Channel

/**
 * The channels from which the contact can be written to, and the one to use: that of the last message, or the one that the
 * contact belongs to.
 *
 * @param last_channel_id that of the last message
 * @param chosen_id the choice of the agent
 */
export function channelFor(
  definitions: Definitions | undefined,
  contact: AnyRecord | undefined,
  last_channel_id: string | undefined,
  chosen_id?: string | undefined,
): { channel: Channel | undefined; choices: readonly Channel[] } {
  const choices = (definitions?.channels ?? []).filter(
    ({ channel_type, is_active }) => is_active && channel_type === contact?.channel_type,
  )
  const ids = [chosen_id, last_channel_id, contact?.channel_id]
  const found = ids.flatMap((id) => choices.filter(({ _id }) => _id === id))
  return { channel: found[0] ?? choices[0], choices }
}

/** The address of a contact for `to` of a message. */
export function addressOf({ channel_type, user_id, bsuid, send_to }: AnyRecord): string {
  if (send_to) return send_to
  return channel_type === 'whatsapp' && user_id !== bsuid ? `+${user_id.replace(/^\+/, '')}` : user_id
}

/** The length of a text, as the channel counts it. */
export function lengthOf(text: string, unit: 'characters' | 'bytes') {
  return unit === 'bytes' ? new TextEncoder().encode(text).length : [...text].length
}

/**
 * The type of message that carries a file, undefined when the channel carries none for it. A file of a kind that the
 * channel does not carry goes as a document.
 */
export function typeOfFile({ type }: { name: string; type: string }, { message_types, file_types }: Composing) {
  const mime = bare(type)
  const [family = ''] = mime.split('/')
  const is_known = file_types === null || file_types.some(({ mime_type }) => mime_type === mime)
  // WhatsApp takes WebP pictures as stickers only.
  if (mime === 'image/webp' && file_types !== null) return message_types.sticker && 'sticker'
  if (['image', 'video', 'audio'].includes(family) && is_known && message_types[family]) return family
  return message_types.document && 'document'
}

/**
 * Why a file cannot be sent there, as a sentence; undefined when it can.
 *
 * @param channel its name
 */
export function refusalOfFile(
  file: { name: string; type: string; size: number },
  composing: Composing,
  channel: string,
) {
  const { file_types, most_file_bytes } = composing
  const mime = bare(file.type)
  if (file.size === 0) return 'The file is empty.'
  if (typeOfFile(file, composing) === undefined) return `${channel} does not take this kind of file.`
  const accepted = file_types?.find(({ mime_type }) => mime_type === mime)
  // The server finds out the type of files whose type the browser does not know.
  if (file_types && !accepted && mime !== '')
    return `${channel} does not take files of the type ${/\.\w{1,8}$/.exec(file.name)?.[0] ?? mime}.`
  const most = Math.min(accepted?.max_bytes ?? most_file_bytes, most_file_bytes)
  return file.size > most ? `The file has ${size(file.size)}; ${channel} takes ${size(most)}.` : undefined
}

/**
 * The reply window: `none` where any message may be sent at any time; `closed` while only templates reach the person, or
 * nothing where the channel has no templates.
 *
 * @param windows of the contact
 */
export function windowOf(
  composing: Composing | undefined,
  windows: readonly { channel_id: string; expires_at: string }[],
  channel_id: string | undefined,
  now: number,
): { state: 'none' | 'open' | 'closed'; ends_at: string | undefined; has_templates: boolean } {
  const has_templates = composing?.message_types.template !== undefined
  const ends_at = windows.find((one) => one.channel_id === channel_id)?.expires_at
  // A person who never wrote on a channel with templates has no window, and gets templates only.
  if (ends_at === undefined) return { state: has_templates ? 'closed' : 'none', ends_at, has_templates }
  return { state: Date.parse(ends_at) > now ? 'open' : 'closed', ends_at, has_templates }
}

/** `4 MB`, `512 KB`: of 1024, as channels count them and file managers show them. */
export function size(bytes: number) {
  if (bytes >= MIB) return `${(bytes / MIB).toFixed(bytes < 10 * MIB && bytes % MIB !== 0 ? 1 : 0)} MB`
  return `${Math.max(1, Math.round(bytes / 1024))} KB`
}

function bare(type: string) {
  return (type.split(';')[0] ?? '').trim().toLowerCase()
}
