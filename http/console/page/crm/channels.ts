/** Channels: their names, and the letters of their marks. */

const CHANNELS: Partial<Record<string, { name: string; letters: string }>> = {
  whatsapp: { name: 'WhatsApp', letters: 'Wa' },
  whatsapp_qr: { name: 'WhatsApp QR', letters: 'Wq' },
  instagram: { name: 'Instagram', letters: 'Ig' },
  messenger: { name: 'Messenger', letters: 'Ms' },
  facebook: { name: 'Facebook', letters: 'Fb' },
  telegram: { name: 'Telegram', letters: 'Tg' },
  tiktok: { name: 'TikTok', letters: 'Tt' },
  email: { name: 'E-mail', letters: '@' },
  web: { name: 'Web chat', letters: 'Wb' },
}

/** The types of channels. */
export const CHANNEL_TYPES = Object.keys(CHANNELS)

export function nameOfChannel(type: string) {
  return CHANNELS[type]?.name ?? type
}

/** The letters that stand for a channel. */
export function lettersOfChannel(type: string) {
  return CHANNELS[type]?.letters ?? '?'
}
