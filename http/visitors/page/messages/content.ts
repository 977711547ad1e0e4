/** The contents of messages that the page shows, in the terms of the API. It shows others as such. */

export type FileKind = 'image' | 'sticker' | 'video' | 'audio' | 'document'

/** Without a link, the file is not available any more. */
export type File = { type: FileKind; link?: string; filename?: string; caption?: string }

export type Header = File | { type: 'text'; text: string }

export type Choice = { id: string; title: string; description?: string }

export type ReplyKind = 'button_reply' | 'list_reply'

type Text = { type: 'text'; body: string }
export type Buttons = {
  type: 'buttons'
  body_text: string
  buttons: Choice[]
  header?: Header
  footer_text?: string
}
export type List = {
  type: 'list'
  body_text: string
  button_text: string
  sections: { title?: string; rows: Choice[] }[]
  footer_text?: string
}
type Link = { type: 'cta_url'; body_text: string; display_text: string; url: string; footer_text?: string }
export type Carousel = {
  type: 'carousel'
  body_text: string
  cards: { header?: Header; body_text?: string; action: { display_text: string; url: string } }[]
}
/** Chosen by the visitor. */
type Reply = { type: 'interactive'; interactive_type: ReplyKind; button_reply?: Choice; list_reply?: Choice }
/** An empty `emoji` takes the reaction back. */
type Reaction = { type: 'reaction'; message_id: string; emoji: string }

export type Content = Text | File | Buttons | List | Link | Carousel | Reply | Reaction

/** The fields from which the one-line summary of a content is taken. */
export type Quotable = {
  type: Content['type']
  body?: string
  body_text?: string
  caption?: string
  filename?: string
  button_reply?: Choice
  list_reply?: Choice
}
