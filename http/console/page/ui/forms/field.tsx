/** Fields of forms: a label, the control, a hint, and the reason why a value was refused. */
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { Icon } from '../pictures/icons.tsx'

/** The attributes that tie a control to its label, hint and error. */
export type ControlAttributes = {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
}

/**
 * `children` is a function of the attributes that the control must have.
 *
 * @public for the forms of sections
 */
export function Field({
  label,
  hint,
  error,
  children,
}: {
  label: string
  hint?: string
  error?: string | null
  children: (attributes: ControlAttributes) => ComponentChildren
}) {
  const id = useId()
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': described, 'aria-invalid': error ? true : undefined })}
      {hint && (
        <p id={`${id}-hint`} class="faint field-hint">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} class="field-error">
          <Icon name="alert" /> {error}
        </p>
      )}
    </div>
  )
}

export function SelectField<Value extends string>({
  label,
  value,
  onChange,
  options,
  hint,
}: {
  label: string
  value: Value
  onChange(value: Value): void
  options: readonly { value: Value; text: string }[]
  hint?: string
}) {
  return (
    <Field label={label} hint={hint}>
      {(attributes) => (
        <span class="select">
          <select
            {...attributes}
            value={value}
            onChange={({ currentTarget }) => onChange(currentTarget.value as Value)}
          >
            {options.map((option) => (
              <option value={option.value} key={option.value}>
                {option.text}
              </option>
            ))}
          </select>
          <Icon name="down" />
        </span>
      )}
    </Field>
  )
}

/** A setting that is on or off. */
export function Switch({
  label,
  is_on,
  onChange,
  hint,
  is_off = false,
}: {
  label: string
  is_on: boolean
  onChange(is_on: boolean): void
  hint?: string
  is_off?: boolean
}) {
  const id = useId()
  return (
    <div class="switch">
      <input
        id={id}
        type="checkbox"
        role="switch"
        checked={is_on}
        disabled={is_off}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {hint && (
        <p id={`${id}-hint`} class="faint field-hint">
          {hint}
        </p>
      )}
    </div>
  )
}
