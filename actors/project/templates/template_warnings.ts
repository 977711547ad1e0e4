/** Warnings about a template, by the provider's status. */
import type { TemplateFacts } from './template_facts.ts'
import type { TemplateNamed } from './template_named.ts'

/** A warning that the provider will refuse or may refuse messages of the template, although the send is accepted. */
export type Warning = { code: string; message: string }

const REFUSES: Record<string, string> = {
  PAUSED: 'The provider paused it after complaints, and refuses messages of it until the pause is over',
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

/** Empty when nothing speaks against a send, or when the template is unknown. */
export function templateWarnings({ name, language }: TemplateNamed, known: TemplateFacts | undefined): Warning[] {
  if (!known) return []
  const warnings: Warning[] = []
  const warn = (code: string, is: string) =>
    warnings.push({ code, message: `The template ${name} (${language}) ${is}` })
  const { status, quality, category, next_category } = known
  if (status !== 'APPROVED') {
    const why = Object.hasOwn(REFUSES, status) ? REFUSES[status] : UNKNOWN
    warn('TEMPLATE_NOT_APPROVED', `is ${status}. ${why}.`)
  }
  if (quality === 'RED') {
    warn('TEMPLATE_QUALITY_LOW', 'is rated RED: its receivers block or report it, and the provider may pause it.')
  }
  if (next_category && next_category !== category) {
    const moves = `from ${category} to ${next_category}`
    warn(
      'TEMPLATE_CATEGORY_CHANGES',
      `will be moved ${moves} by the provider, which changes the price of its messages.`,
    )
  }
  return warnings
}
