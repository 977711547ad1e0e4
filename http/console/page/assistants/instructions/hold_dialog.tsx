/** Saves what is written as a version that is held: until somebody releases it, or until a test set passes with it. */

import { useEffect, useState } from 'preact/hooks'
import { SelectField } from '../../ui/forms/field.tsx'
import { FormActions, Refusal } from '../../ui/forms/form_end.tsx'
import { useAction } from '../../ui/hooks.ts'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { toast } from '../../ui/overlays/toast.ts'
import type { OpenAssistant } from '../open_assistant.ts'

export function HoldDialog({
  open,
  hold,
  onClose,
}: {
  open: OpenAssistant
  /** `test_set_id`: null where somebody releases it. */
  hold(test_set_id: string | null): Promise<void>
  onClose(): void
}) {
  const [chosen, choose] = useState('')
  useEffect(() => void open.tests.list.read(), [open])
  const sets = open.tests.list.value ?? []
  const { run, is_busy, fault } = useAction(async () => {
    await hold(chosen || null)
    onClose()
    toast('The version is held. People meet the one before.')
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void run()
  }
  return (
    <Dialog title="Save and hold" onClose={onClose}>
      <form class="assistant-form" onSubmit={submit} novalidate>
        <p class="faint">
          The text becomes a version that nobody meets yet. The playground and runs of test sets can use it.
        </p>
        <SelectField
          label="Held until"
          value={chosen}
          options={[
            { value: '', text: 'Somebody releases it' },
            ...sets.map(({ _id, name }) => ({ value: _id, text: `The test set “${name}” passes with it` })),
          ]}
          onChange={choose}
        />
        <Refusal fault={fault} />
        <FormActions onClose={onClose} is_busy={is_busy}>
          {is_busy ? 'Saving…' : 'Save and hold'}
        </FormActions>
      </form>
    </Dialog>
  )
}
