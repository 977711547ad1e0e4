/** The headers that are sent with each request. */
import { Icon } from '../ui/pictures/icons.tsx'

const MAX = 50

type Header = { name: string; value: string }

export function HeadersField({
  headers,
  error,
  onChange,
}: {
  headers: Header[]
  error: string | undefined
  onChange(headers: Header[]): void
}) {
  const set = (at: number, change: Partial<Header>) =>
    onChange(headers.map((one, index) => (index === at ? { ...one, ...change } : one)))
  return (
    <fieldset class="webhook-headers" aria-describedby={error ? 'webhook-headers-error' : undefined}>
      <legend>Headers of your own</legend>
      {headers.map(({ name, value }, at) => (
        <div class="webhook-header" key={at}>
          <input
            type="text"
            aria-label={`Name of header ${at + 1}`}
            placeholder="X-Api-Key"
            autocomplete="off"
            spellcheck={false}
            value={name}
            onInput={({ currentTarget }) => set(at, { name: currentTarget.value })}
          />
          <input
            type="text"
            aria-label={`Value of header ${at + 1}`}
            placeholder="Value"
            autocomplete="off"
            spellcheck={false}
            value={value}
            onInput={({ currentTarget }) => set(at, { value: currentTarget.value })}
          />
          <button
            type="button"
            class="quiet icon-button"
            aria-label={`Remove header ${at + 1}`}
            onClick={() => onChange(headers.filter((_, index) => index !== at))}
          >
            <Icon name="trash" />
          </button>
        </div>
      ))}
      {error && (
        <p id="webhook-headers-error" class="field-error">
          <Icon name="alert" /> {error}
        </p>
      )}
      <button
        type="button"
        class="button"
        disabled={headers.length >= MAX}
        onClick={() => onChange([...headers, { name: '', value: '' }])}
      >
        <Icon name="plus" /> Add a header
      </button>
    </fieldset>
  )
}
