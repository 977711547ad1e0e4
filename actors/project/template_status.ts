/** Templates as sends meet them: found by name, and what their status, a word of the provider, means to a message. */
import { isObject } from '../providers/json.ts'
import type { ProjectTurn } from './events.ts'
import { type TemplateFacts, templateKey } from './state.ts'

export type TemplateNamed = { name: string; language: string }

/** Warns of a template that the provider will refuse, although the message is accepted. */
export type Warning = { code: string; message: string }

/** A template of a channel, as the turn has read or changed it. */
export function findTemplate(
  { state, records }: ProjectTurn,
  channel_id: string,
  { name, language }: TemplateNamed,
): TemplateFacts | undefined {
  const key = templateKey(channel_id, name, language)
  const found = state.templates.get(key) ?? records.templates.get(key)
  if (found) state.templates.set(key, found)
  return found
}

/** Raw sends may have anything there; PostgreSQL can compare neither NUL nor half a surrogate pair. */
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

const REFUSES: Record<string, string> = {
  PAUSED:
    'The provider paused it because people complained about it, and refuses messages of it until the pause is over',
  DISABLED: 'The provider disabled it for good, and refuses messages of it',
  REJECTED: 'The provider rejected it, and refuses messages of it until it is changed and approved',
  PENDING: 'The provider has not approved it yet, and refuses messages of it until then',
  IN_APPEAL: 'The provider rejected it and examines an appeal, and refuses messages of it until it is approved',
  PENDING_DELETION: 'It is being deleted at the provider, which may refuse messages of it',
  DELETED: 'It was deleted at the provider, which refuses messages of it',
  ARCHIVED: 'It is archived at the provider, which may refuse messages of it',
  LIMIT_EXCEEDED:
    'The account has more templates than the provider allows, so the provider may refuse messages of this one',
}

const UNKNOWN = 'It is not approved at the provider, which is likely to refuse messages of it'

/** None when the template is approved, or not known. */
export function templateWarnings({ name, language }: TemplateNamed, known: TemplateFacts | undefined): Warning[] {
  if (!known || known.status === 'APPROVED') return []
  const { status } = known
  const why = Object.hasOwn(REFUSES, status) ? REFUSES[status] : UNKNOWN
  return [{ code: 'TEMPLATE_NOT_APPROVED', message: `The template ${name} (${language}) is ${status}. ${why}.` }]
}
