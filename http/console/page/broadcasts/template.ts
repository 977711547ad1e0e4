/** A message template, as `GET …/messages/templates` answers it. */

export type TemplateComponent = {
  type: string
  format?: string
  text?: string
  buttons?: { type: string; text?: string; url?: string }[]
  cards?: { components: TemplateComponent[] }[]
}

export type Template = {
  _id: string
  channel_id: string
  name: string
  language: string
  status: string
  category: string
  components: TemplateComponent[]
  /** The names that each recipient must have values for. */
  variables: string[]
  synced_at: string
}
