/** Asks for confirmation before a template is deleted, because its name cannot be used again for a month. */

import type { Template } from '../../records/template.ts'
import { Refusal } from '../../ui/forms/form_end.tsx'
import { useAction } from '../../ui/hooks.ts'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { toast } from '../../ui/overlays/toast.ts'
import { templatesPlace } from '../places.ts'
import type { Templates } from './templates.ts'

export function DeleteDialog({
  templates,
  template: { _id, name, language },
  onClose,
}: {
  templates: Templates
  template: Template
  onClose(): void
}) {
  const { run, is_busy, fault } = useAction(async () => {
    await templates.remove(_id)
    toast(`“${name}” is deleted.`)
    location.hash = templatesPlace(templates.project_id)
  })
  return (
    <Dialog title={`Delete “${name}”?`} onClose={onClose}>
      {(close) => (
        <>
          <p>
            It is deleted at WhatsApp in the language {language}, and messages of it are refused from then on. The name
            cannot be used again for 30 days.
          </p>
          <Refusal fault={fault} />
          <div class="actions">
            <button type="button" class="button" onClick={close}>
              Keep it
            </button>
            <button type="button" class="button danger full" aria-busy={is_busy} onClick={() => void run()}>
              {is_busy ? 'Deleting…' : 'Delete template'}
            </button>
          </div>
        </>
      )}
    </Dialog>
  )
}
