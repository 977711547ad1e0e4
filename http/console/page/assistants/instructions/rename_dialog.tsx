import { useState } from 'preact/hooks'
import type { AttachedBlock } from '../../records/assistant.ts'
import { Field } from '../../ui/forms/field.tsx'
import { FormActions, Refusal } from '../../ui/forms/form_end.tsx'
import { useAction } from '../../ui/hooks.ts'
import { Dialog } from '../../ui/overlays/dialog.tsx'

export function RenameDialog({
  block,
  rename,
  onClose,
}: {
  block: AttachedBlock
  rename(name: string): Promise<void>
  onClose(): void
}) {
  const [name, setName] = useState(block.name)
  const { run, is_busy, fault } = useAction(async () => {
    await rename(name.trim())
    onClose()
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void run()
  }
  return (
    <Dialog title="Rename the block" onClose={onClose}>
      <form class="assistant-form" onSubmit={submit} novalidate>
        <Field label="Name" hint="All assistants with this block show it.">
          {(attributes) => (
            <input
              {...attributes}
              value={name}
              maxlength={150}
              autocomplete="off"
              onInput={({ currentTarget }) => setName(currentTarget.value)}
            />
          )}
        </Field>
        <Refusal fault={fault} />
        <FormActions onClose={onClose} is_busy={is_busy}>
          {is_busy ? 'Saving…' : 'Rename'}
        </FormActions>
      </form>
    </Dialog>
  )
}
