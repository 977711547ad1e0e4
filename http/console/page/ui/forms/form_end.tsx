/** The end of a form in a dialog: the error of the last attempt, and the buttons. */
import type { ComponentChildren } from 'preact'
import { errorText } from '../../data/errors.ts'
import { Icon } from '../pictures/icons.tsx'

export function Refusal({ fault }: { fault: Parameters<typeof errorText>[0] | null | undefined }) {
  return (
    <div role="alert">
      {fault && (
        <p class="note bad">
          <Icon name="alert" /> {errorText(fault)}
        </p>
      )}
    </div>
  )
}

/** `children`: the text of the button that submits. */
export function FormActions({
  onClose,
  is_busy,
  children,
}: {
  onClose(): void
  is_busy: boolean
  children: ComponentChildren
}) {
  return (
    <div class="actions">
      <button type="button" class="button" onClick={onClose}>
        Cancel
      </button>
      <button type="submit" class="button primary" aria-busy={is_busy}>
        {children}
      </button>
    </div>
  )
}
