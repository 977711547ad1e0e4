/** Sending later, and changing what is scheduled. */

import { useState } from 'preact/hooks'
import { momentText } from '../../../crm/entry/moments.ts'
import type { Project } from '../../../data/project.ts'
import { Field, Switch } from '../../../ui/forms/field.tsx'
import { useAction } from '../../../ui/hooks.ts'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { toast } from '../../../ui/overlays/toast.ts'
import { Trouble } from '../../../ui/placeholders/trouble.tsx'
import type { Later } from './later.ts'
import { MomentChoice } from './moment_choice.tsx'

export function LaterDialog({
  project,
  compose,
  message,
  scheduled,
  onClose,
}: Later & { project: Project; onClose(): void }) {
  const [cancel_if_answered, setCancel] = useState(scheduled?.cancel_if_answered ?? true)
  const [text, setText] = useState(String(scheduled?.message?.body ?? ''))
  const [at, setAt] = useState<Date | null>(null)
  const is_text = scheduled?.type === 'text' && scheduled.message
  const send = useAction(async () => {
    if (!at) return
    if (scheduled) {
      const changed = is_text && text.trim() !== scheduled.message.body
      await project.api.patch(`inbox/scheduled_messages/${scheduled.id}`, {
        send_at: at.toISOString(),
        cancel_if_answered,
        ...(changed && { message: { ...scheduled.message, body: text.trim() } }),
      })
    } else await compose.sendLater({ send_at: at, cancel_if_answered, ...(message && { message }) })
    toast(`Will be sent: ${momentText(at)}.`)
    onClose()
  })
  const choose = (moment: Date) => {
    setAt(moment)
    // The moment is there after the next drawing.
    setTimeout(() => document.getElementById('later-confirm')?.focus())
  }
  const is_empty = is_text && text.trim() === ''
  return (
    <Dialog title={scheduled ? 'Change the scheduled message' : 'Send later'} has_close class="later" onClose={onClose}>
      {is_text && (
        <Field label="Message" error={is_empty ? 'Write a text.' : null}>
          {(attributes) => (
            <textarea
              {...attributes}
              rows={4}
              maxlength={4096}
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            ></textarea>
          )}
        </Field>
      )}
      <MomentChoice at={scheduled ? new Date(scheduled.send_at) : undefined} action="Choose" onChoose={choose} />
      <Switch label="Only if the person has not written by then" is_on={cancel_if_answered} onChange={setCancel} />
      {send.fault && <Trouble title="It was not scheduled" error={send.fault} />}
      <div class="actions">
        <button
          type="button"
          id="later-confirm"
          class="button primary"
          disabled={!at || send.is_busy || is_empty}
          onClick={send.run}
        >
          {at ? `${scheduled ? 'Save' : 'Send'}: ${momentText(at)}` : 'Choose a time'}
        </button>
      </div>
    </Dialog>
  )
}
