/** The choice of a moment: presets, and a field for any other. */
import { useState } from 'preact/hooks'
import { localValue, momentsAfter, momentText, problemOfMoment } from '../../../crm/entry/moments.ts'
import { Field } from '../../../ui/forms/field.tsx'

/** `at`: the moment that is chosen now. `action` names the button of the field. */
export function MomentChoice({
  at,
  action,
  is_busy = false,
  onChoose,
}: {
  at?: Date | undefined
  action: string
  is_busy?: boolean
  onChoose(at: Date): void
}) {
  const now = new Date()
  const presets = momentsAfter(now)
  const [value, setValue] = useState(localValue(at ?? presets[0]?.at ?? now))
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const submit = (event: Event) => {
    event.preventDefault()
    const chosen = new Date(value)
    const found = problemOfMoment(chosen, new Date())
    setProblem(found)
    if (!found) onChoose(chosen)
  }
  return (
    <div class="moments">
      <ul class="moment-presets">
        {presets.map((preset) => (
          <li key={preset.text}>
            <button type="button" class="menu-item" disabled={is_busy} onClick={() => onChoose(preset.at)}>
              <span>{preset.text}</span> <span class="faint">{momentText(preset.at, now)}</span>
            </button>
          </li>
        ))}
      </ul>
      <form class="moment-own" onSubmit={submit}>
        <Field label="Another time" error={problem}>
          {(attributes) => (
            <input
              {...attributes}
              type="datetime-local"
              value={value}
              min={localValue(now)}
              required
              onInput={({ currentTarget }) => setValue(currentTarget.value)}
            />
          )}
        </Field>
        <button type="submit" class="button" disabled={is_busy}>
          {action}
        </button>
      </form>
    </div>
  )
}
