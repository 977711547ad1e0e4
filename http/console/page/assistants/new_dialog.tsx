/** Creates an assistant: its name and its model. The rest is on its page. */

import { useMemo, useState } from 'preact/hooks'
import { Field, SelectField } from '../ui/forms/field.tsx'
import { FormActions, Refusal } from '../ui/forms/form_end.tsx'
import { useAction } from '../ui/hooks.ts'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { toast } from '../ui/overlays/toast.ts'
import type { Assistants } from './assistants.ts'
import { assistantsPlace } from './places.ts'
import { fieldFaults } from './words.ts'

export function NewDialog({ assistants }: { assistants: Assistants }) {
  const leave = () => {
    if (location.hash === assistantsPlace(assistants.project_id, 'new'))
      location.replace(assistantsPlace(assistants.project_id))
  }
  return (
    <Dialog title="New assistant" onClose={leave}>
      {(close) => <Form assistants={assistants} close={close} />}
    </Dialog>
  )
}

function Form({ assistants, close }: { assistants: Assistants; close(): void }) {
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const models = assistants.overview.value?.models ?? []
  const [model, setModel] = useState<string | null>(null)
  const chosen = model ?? models[0] ?? ''
  // A lost answer is asked for again under the same key, so it is created once.
  const key = useMemo(() => crypto.randomUUID(), [name, description, chosen])
  const { run, is_busy, fault } = useAction(async () => {
    const fields = {
      name: name.trim(),
      ...(description.trim() && { description: description.trim() }),
      ...(chosen && { model: chosen }),
    }
    const { _id } = await assistants.api.create(fields, key)
    location.hash = assistantsPlace(assistants.project_id, _id)
    toast(`“${fields.name}” is created. It answers nobody until you say where it works.`)
    close()
  })
  const faults = fieldFaults(fault)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void run()
  }
  return (
    <form class="assistant-form" onSubmit={submit} novalidate>
      <Field label="Name" hint="People see it beside the answers." error={faults.name}>
        {(attributes) => (
          <input
            {...attributes}
            value={name}
            maxlength={150}
            placeholder="Ana"
            autocomplete="off"
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        )}
      </Field>
      <Field label="Description" hint="For your colleagues." error={faults.description}>
        {(attributes) => (
          <input
            {...attributes}
            value={description}
            maxlength={500}
            placeholder="Answers questions about orders"
            autocomplete="off"
            onInput={({ currentTarget }) => setDescription(currentTarget.value)}
          />
        )}
      </Field>
      {models.length > 1 && (
        <SelectField
          label="Model"
          value={chosen}
          options={models.map((one) => ({ value: one, text: one }))}
          onChange={setModel}
        />
      )}
      <Refusal fault={Object.keys(faults).length > 0 ? null : fault} />
      <FormActions onClose={close} is_busy={is_busy}>
        {is_busy ? 'Creating…' : 'Create'}
      </FormActions>
    </form>
  )
}
