import type { Json } from '../json.ts'
import type { InteractivePayload } from '../payload.ts'

/** The `interactive` node of a message. */
export function interactive(message: InteractivePayload): Json {
  const body = { text: message.body_text }
  const footer_text = 'footer_text' in message ? message.footer_text : undefined
  const footer = footer_text ? { footer: { text: footer_text } } : {}
  switch (message.type) {
    case 'buttons': {
      const buttons = message.buttons.map(({ id, title }) => ({ type: 'reply', reply: { id, title } }))
      const header = message.header && { header: headerOf(message.header) }
      return { type: 'button', ...header, body, ...footer, action: { buttons } }
    }
    case 'list': {
      const sections = message.sections.map(({ title, rows }) => ({
        title,
        rows: rows.map(({ id, title, description }) => ({ id, title, description })),
      }))
      return { type: 'list', body, ...footer, action: { button: message.button_text, sections } }
    }
    case 'cta_url':
      return { type: 'cta_url', body, ...footer, action: openUrl(message) }
    case 'catalog': {
      const { thumbnail_product_retailer_id } = message
      const parameters = thumbnail_product_retailer_id && { parameters: { thumbnail_product_retailer_id } }
      return { type: 'catalog_message', body, ...footer, action: { name: 'catalog_message', ...(parameters || {}) } }
    }
    case 'carousel': {
      const cards = message.cards.map(({ header, body_text, action }, card_index) => ({
        card_index,
        type: 'cta_url',
        header: headerOf(header),
        ...(body_text && { body: { text: body_text } }),
        action: openUrl(action),
      }))
      return { type: 'carousel', body, action: { cards } }
    }
    case 'flow': {
      const { flow_id, flow_token, flow_cta, flow_action, flow_action_payload, header_text } = message
      const parameters = {
        flow_message_version: '3',
        flow_id,
        flow_token,
        flow_cta,
        flow_action,
        flow_action_payload,
      }
      const header = header_text && { header: { type: 'text', text: header_text } }
      return { type: 'flow', ...(header || {}), body, ...footer, action: { name: 'flow', parameters } }
    }
  }
}

function openUrl({ display_text, url }: { display_text: string; url: string }): Json {
  return { name: 'cta_url', parameters: { display_text, url } }
}

function headerOf({
  type,
  text,
  link,
  media_id,
}: {
  type: string
  text?: string
  link?: string
  media_id?: string
}): Json {
  if (type === 'text') return { type, text }
  return { type, [type]: media_id === undefined ? { link } : { id: media_id } }
}
