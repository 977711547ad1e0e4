/** Channels: their names and marks. */
import { html } from 'htm/preact'

/** @type {Partial<Record<string, { name: string, letters: string }>>} */
const CHANNELS = {
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

/** The types of channels, by name. */
export const CHANNEL_TYPES = Object.keys(CHANNELS)

/** @param {string} type */
export function nameOfChannel(type) {
  return CHANNELS[type]?.name ?? type
}

/**
 * @param {{ type: string }} props
 */
export function ChannelMark({ type }) {
  return html`<span class="inbox-channel of-${type}" title=${nameOfChannel(type)}>
    <span aria-hidden="true">${CHANNELS[type]?.letters ?? '?'}</span><span class="aside">${nameOfChannel(type)}</span>
  </span>`
}
