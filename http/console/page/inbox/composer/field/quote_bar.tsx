/** The message that is answered, above the field. */

import { wordsOf } from '../../../crm/preview.ts'
import { templatesOf } from '../../../crm/template_texts.ts'
import { Icon } from '../../../ui/pictures/icons.tsx'
import type { ComposeProps } from '../compose_props.ts'

export function QuoteBar({ project, thread, compose }: ComposeProps) {
  const id = compose.quote.value
  if (id === null) return null
  const message = thread.messageOf(id)
  return (
    <div class="composer-bar composer-quote">
      <Icon name="reply" />
      <span class="composer-bar-text">
        <b>{message?.direction === 'outbound' ? 'Your side' : (thread.contact.value?.name ?? 'The person')}</b>{' '}
        {message ? wordsOf(message, templatesOf(project)) : 'An earlier message'}
      </span>
      <button type="button" class="quiet icon-button" aria-label="Do not quote" onClick={() => compose.answer(null)}>
        <Icon name="close" />
      </button>
    </div>
  )
}
