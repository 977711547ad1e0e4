/** Values of the panel that become fields when they are chosen. */
import type { ComponentChildren, TargetedEvent } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useElement } from '../../ui/hooks.ts'
import { Icon } from '../../ui/pictures/icons.tsx'

/** A named value. */
export function Row({ label, children, id }: { label: string; children: ComponentChildren; id?: string | undefined }) {
  return (
    <div class="panel-row">
      {id ? (
        <label class="panel-label" for={id}>
          {label}
        </label>
      ) : (
        <span class="panel-label">{label}</span>
      )}
      <div class="panel-value">{children}</div>
    </div>
  )
}

/** A choice of one value. `empty` is the text for none; without it there is always a value. */
export function Choice({
  label,
  value,
  options,
  onChange,
  empty,
}: {
  label: string
  value: string | null
  options: readonly { value: string; text: string }[]
  onChange(value: string | null): void
  empty?: string
}) {
  const id = useId()
  const is_known = value === null || options.some((option) => option.value === value)
  const changed = ({ currentTarget }: TargetedEvent<HTMLSelectElement>) => onChange(currentTarget.value || null)
  return (
    <Row label={label} id={id}>
      <span class="select panel-select">
        <select id={id} value={value ?? ''} onChange={changed}>
          {(empty !== undefined || value === null) && <option value="">{empty ?? '–'}</option>}
          {!is_known && <option value={value}>(deleted)</option>}
          {options.map((option) => (
            <option value={option.value} key={option.value}>
              {option.text}
            </option>
          ))}
        </select>
        <Icon name="down" />
      </span>
    </Row>
  )
}

/**
 * A text that is edited in place: Enter and leaving the field save it, Escape takes it back. `display` is the text when it
 * is not edited. `problemOf` says why a text cannot be saved.
 */
export function Editable({
  label,
  value,
  display,
  onSave,
  problemOf = () => null,
  is_long = false,
  type,
  input_mode,
}: {
  label: string
  value: string | null
  display?: string
  onSave(value: string | null): void
  problemOf?: (text: string) => string | null
  is_long?: boolean
  type?: string
  input_mode?: string
}) {
  const [draft, setDraft] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const field = useElement<HTMLInputElement & HTMLTextAreaElement>()
  const opener = useElement<HTMLButtonElement>()
  const [has_edited, setEdited] = useState(false)
  /** A field that is taken away loses the focus, which saves nothing again. */
  const is_closed = useRef(false)
  const id = useId()
  const is_editing = draft !== null
  useLayoutEffect(() => {
    if (is_editing) {
      field.current?.focus()
      field.current?.select()
    } else if (has_edited) opener.current?.focus()
  }, [is_editing])

  /** @param returns whether the focus goes back to the value */
  const close = (returns: boolean) => {
    is_closed.current = true
    setEdited(returns)
    setDraft(null)
    setProblem(null)
  }
  const save = (returns: boolean) => {
    if (draft === null || is_closed.current) return
    const text = draft.trim()
    const found = text === '' ? null : problemOf(text)
    if (found) return setProblem(found)
    close(returns)
    if (text !== (value ?? '')) onSave(text === '' ? null : text)
  }
  const pressed = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      event.stopPropagation()
      close(true)
    }
    if (event.key === 'Enter' && (!is_long || event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      save(true)
    }
  }
  const typed = ({ currentTarget }: TargetedEvent<HTMLInputElement | HTMLTextAreaElement>) => {
    setDraft(currentTarget.value)
    setProblem(null)
  }
  if (!is_editing) {
    return (
      <Row label={label}>
        <button
          type="button"
          ref={opener}
          class={value ? 'panel-edit' : 'panel-edit panel-empty'}
          aria-label={display || value ? `${label}: ${display || value}. Edit` : `${label}: Add`}
          onClick={() => {
            is_closed.current = false
            setDraft(value ?? '')
          }}
        >
          {display || value || 'Add'}
        </button>
      </Row>
    )
  }
  const attributes = {
    id,
    ref: field,
    value: draft,
    'aria-invalid': problem ? true : undefined,
    'aria-describedby': problem ? `${id}-problem` : undefined,
    onInput: typed,
    onKeyDown: pressed,
    onBlur: () => (problem ? close(false) : save(false)),
  }
  return (
    <Row label={label} id={id}>
      {is_long ? (
        <textarea class="panel-field" rows={4} {...attributes}></textarea>
      ) : (
        <input class="panel-field" type={(type ?? 'text') as 'text'} inputmode={input_mode} {...attributes} />
      )}
      {problem && (
        <p id={`${id}-problem`} class="field-error" role="alert">
          {problem}
        </p>
      )}
    </Row>
  )
}

/** A part of the panel that can be closed. */
export function Part({
  title,
  count,
  is_open = true,
  children,
}: {
  title: string
  count?: number | undefined
  is_open?: boolean
  children: ComponentChildren
}) {
  return (
    <details class="panel-part" open={is_open}>
      <summary>
        <h3>{title}</h3>
        {count !== undefined && count > 0 && <span class="panel-count">{count}</span>}
        <Icon name="down" />
      </summary>
      <div class="panel-body">{children}</div>
    </details>
  )
}
