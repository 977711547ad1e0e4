/** The `message` of a send, in the terms of our API. Validated before it comes here. */
export type Payload =
  | { type: 'text'; body: string; preview_url?: boolean }
  | ({ type: 'image' | 'video' | 'audio' | 'document' | 'sticker' } & MediaFields)
  | { type: 'location'; latitude: number; longitude: number; name?: string; address?: string }
  | { type: 'contacts'; contacts: Record<string, unknown>[] }
  | { type: 'reaction'; message_id: string; emoji: string }
  | TemplatePayload
  | InteractivePayload

export type MediaFields = { link?: string; media_id?: string; caption?: string; filename?: string; voice?: boolean }

export type TemplatePayload = {
  type: 'template'
  name: string
  language: string
  variables?: Record<string, string>
  flow?: FlowBinding
}

/** Binds a Flow to a FLOW button of a template. */
export type FlowBinding = { flow_token?: string; button_index?: number; flow_action_data?: Record<string, unknown> }

type Header = { type: string; text?: string; link?: string; media_id?: string }

export type InteractivePayload =
  | {
      type: 'buttons'
      body_text: string
      buttons: { id: string; title: string }[]
      header?: Header
      footer_text?: string
    }
  | {
      type: 'list'
      body_text: string
      button_text: string
      sections: { title?: string; rows: { id: string; title: string; description?: string }[] }[]
      footer_text?: string
    }
  | { type: 'cta_url'; body_text: string; display_text: string; url: string; footer_text?: string }
  | { type: 'catalog'; body_text: string; thumbnail_product_retailer_id?: string; footer_text?: string }
  | {
      type: 'carousel'
      body_text: string
      cards: { header: Header; body_text?: string; action: { display_text: string; url: string } }[]
    }
  | {
      type: 'flow'
      flow_id: string
      flow_cta: string
      body_text: string
      flow_token?: string
      header_text?: string
      footer_text?: string
      flow_action?: string
      flow_action_payload?: { screen?: string; data?: Record<string, unknown> }
    }
