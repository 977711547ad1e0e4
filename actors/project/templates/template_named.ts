/** Names of templates in messages. */
import { isObject } from '../../providers/json.ts'

export type TemplateNamed = { name: string; language: string }

/** The key of a template within its channel. */
export function templateName({ name, language }: TemplateNamed): string {
  return `${name} ${language}`
}

/** The key of a template with its channel. */
export function templateKey(channel_id: string, { name, language }: TemplateNamed): string {
  return `${channel_id} ${name} ${language}`
}

/** Raw sends may contain any value; PostgreSQL can compare neither NUL nor half a surrogate pair. */
function isName(text: unknown): text is string {
  return typeof text === 'string' && text.isWellFormed() && !text.includes('\0')
}

/** The template that a message names, in the form of the API or in the provider's. */
export function templateIn(message: { type: string; [field: string]: unknown }): TemplateNamed | undefined {
  if (message.type !== 'template') return undefined
  const node = isObject(message.template) ? message.template : message
  const language = isObject(node.language) ? node.language.code : node.language
  return isName(node.name) && isName(language) ? { name: node.name, language } : undefined
}
