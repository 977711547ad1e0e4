/** The buttons of a template. */

import { Icon } from '../../ui/pictures/icons.tsx'
import type { DraftButton } from './draft.ts'

/** WhatsApp's maximum. */
const MAX = 10

export function ButtonsField({
  buttons,
  error,
  onChange,
}: {
  buttons: DraftButton[]
  error: string | undefined
  onChange(buttons: DraftButton[]): void
}) {
  const set = (at: number, change: Partial<DraftButton>) =>
    onChange(buttons.map((one, index) => (index === at ? { ...one, ...change } : one)))
  return (
    <fieldset class="template-buttons">
      <legend>Buttons</legend>
      {buttons.map(({ type, text, url }, at) => (
        <div class="template-button" key={at}>
          <input
            type="text"
            aria-label={`Text of button ${at + 1}`}
            placeholder={type === 'URL' ? 'See the order' : 'Yes, please'}
            maxlength={25}
            value={text}
            onInput={({ currentTarget }) => set(at, { text: currentTarget.value })}
          />
          {type === 'URL' && (
            <input
              type="url"
              aria-label={`Link of button ${at + 1}`}
              placeholder="https://shop.example.com/orders/{{1}}"
              maxlength={2000}
              value={url}
              onInput={({ currentTarget }) => set(at, { url: currentTarget.value })}
            />
          )}
          <button
            type="button"
            class="button"
            aria-label={`Remove button ${at + 1}`}
            onClick={() => onChange(buttons.filter((_, index) => index !== at))}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
      {error && (
        <p class="field-error">
          <Icon name="alert" /> {error}
        </p>
      )}
      {buttons.length < MAX && (
        <p class="template-add">
          <button
            type="button"
            class="button"
            onClick={() => onChange([...buttons, { type: 'QUICK_REPLY', text: '', url: '' }])}
          >
            <Icon name="plus" /> Reply
          </button>
          <button
            type="button"
            class="button"
            onClick={() => onChange([...buttons, { type: 'URL', text: '', url: '' }])}
          >
            <Icon name="plus" /> Link
          </button>
        </p>
      )}
    </fieldset>
  )
}
