/** Asks for confirmation before a broadcast is cancelled, because that is final. */

import { useEffect, useRef, useState } from 'preact/hooks'
import { faultOf } from '../data/errors.ts'
import type { Broadcast } from '../records/broadcast.ts'
import type { Fault } from '../records/fault.ts'
import { number } from '../ui/format/format.ts'
import { Refusal } from '../ui/forms/form_end.tsx'
import type { BroadcastDetail } from './broadcast_detail.ts'
import { hasEnded, nameOf } from './records.ts'

export function CancelDialog({
  detail,
  broadcast,
  onClose,
}: {
  detail: BroadcastDetail
  broadcast: Broadcast
  onClose(): void
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [error, setError] = useState<Fault | null>(null)
  const [is_busy, setBusy] = useState(false)
  useEffect(() => dialog.current?.showModal(), [])

  /** The button that opened the dialog is gone once the broadcast is cancelled: then the heading gets the focus. */
  const closed = () => {
    onClose()
    if (detail.broadcast && hasEnded(detail.broadcast)) document.querySelector('h1')?.focus()
  }
  const cancel = async () => {
    setBusy(true)
    setError(null)
    try {
      await detail.cancel()
      dialog.current?.close()
    } catch (refused) {
      setError(faultOf(refused))
    }
    setBusy(false)
  }

  const { pending_count } = broadcast
  const is_over = error?.status === 409 || (hasEnded(broadcast) && !is_busy)
  const people = pending_count === 1 ? 'One person has' : `${number(pending_count)} people have`
  return (
    <dialog ref={dialog} class="card" aria-labelledby="cancel-title" onClose={closed}>
      <h2 id="cancel-title">Cancel “{nameOf(broadcast)}”?</h2>
      {is_over ? (
        <p>It has ended meanwhile: nothing was left to cancel.</p>
      ) : (
        <p>
          {people} not been sent anything yet, and will get nothing. Messages that the provider has already still
          arrive. This cannot be undone.
        </p>
      )}
      <Refusal fault={is_over ? null : error} />
      <div class="actions">
        <button type="button" class="button" onClick={() => dialog.current?.close()}>
          {is_over ? 'Close' : 'Keep sending'}
        </button>
        {!is_over && (
          <button type="button" class="button danger full" aria-busy={is_busy} onClick={() => is_busy || cancel()}>
            {is_busy ? 'Cancelling…' : 'Cancel broadcast'}
          </button>
        )}
      </div>
    </dialog>
  )
}
