/** A message template, as `GET …/messages/templates` answers it. */
import type { Template as Answered } from '../../../client/generated/types.ts'

export type TemplateButton = { type: string; text?: string; url?: string }

export type TemplateComponent = {
  type: string
  format?: string
  text?: string
  buttons?: TemplateButton[]
  cards?: { components: TemplateComponent[] }[]
}

export type Template = Omit<Answered, 'components'> & { components: TemplateComponent[] }
