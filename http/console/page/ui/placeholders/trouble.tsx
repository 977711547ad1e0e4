/** An error on a page. */

import { errorText } from '../../data/errors.ts'
import type { Fault } from '../../records/fault.ts'
import { Icon } from '../pictures/icons.tsx'

/** An error with a button to retry. */
export function Trouble({ title, error, onRetry }: { title: string; error: Fault | null; onRetry?: () => void }) {
  return (
    <div class="trouble" role="alert">
      <Icon name="alert" />
      <div>
        <p class="trouble-title">{title}</p>
        {error && <p>{errorText(error)}</p>}
      </div>
      {onRetry && (
        <button type="button" class="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  )
}
