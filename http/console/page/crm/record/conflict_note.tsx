/** A change of the agent that would have undone somebody's. */

import { faultOf } from '../../data/errors.ts'
import { toastFault } from '../../ui/overlays/toast.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import type { TicketChanges } from './ticket_changes.ts'
import { valueText } from './words.ts'

/** A conflict, with both ways out of it. */
export function ConflictNote({ changes }: { changes: Pick<TicketChanges, 'conflict' | 'yield'> }) {
  const conflict = changes.conflict.value
  if (!conflict) return null
  const { what, theirs, mine } = conflict
  const [now, choice] = [theirs, mine].map((fields) => Object.values(fields).map(valueText).join(', '))
  const insist = () =>
    conflict.insist().catch((fault: unknown) => toastFault(`Parley did not change ${what}`, faultOf(fault)))
  return (
    <div class="panel-conflict" role="alert">
      <p>
        <Icon name="alert" /> Somebody changed {what} while you did. It is {now} now; you wanted {choice}.
      </p>
      <div class="actions">
        <button type="button" class="button" onClick={() => changes.yield()}>
          Keep theirs
        </button>
        <button type="button" class="button" onClick={insist}>
          Use mine
        </button>
      </div>
    </div>
  )
}
