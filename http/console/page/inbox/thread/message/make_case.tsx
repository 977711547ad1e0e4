/** Makes a test case of the conversation that an answer belongs to, in a test set of its assistant. */

import { useEffect, useMemo, useState } from 'preact/hooks'
import { addressOf } from '../../../data/places.ts'
import type { Project } from '../../../data/project.ts'
import { Resource } from '../../../data/resource.ts'
import type { TestSetSummary } from '../../../records/test_set.ts'
import { Field, SelectField } from '../../../ui/forms/field.tsx'
import { FormActions, Refusal } from '../../../ui/forms/form_end.tsx'
import { useAction } from '../../../ui/hooks.ts'
import { Icon } from '../../../ui/pictures/icons.tsx'
import { Trouble } from '../../../ui/placeholders/trouble.tsx'

type Props = { project: Project; assistant_id: string; ticket_id: string }

/** The permission to write test sets. */
const MANAGES_ASSISTANTS = 'console.manage_assistants'
/** Sets that the choice has room for. */
const MOST = 200

export function MakeCase(props: Props) {
  const [is_asked, setAsked] = useState(false)
  if (!props.project.user.permissions.includes(MANAGES_ASSISTANTS)) return null
  if (is_asked) return <Asked {...props} onClose={() => setAsked(false)} />
  return (
    <div class="actions why-case">
      <button type="button" class="button" onClick={() => setAsked(true)}>
        <Icon name="rules" /> Make a test case…
      </button>
    </div>
  )
}

function Asked({ project, assistant_id, ticket_id, onClose }: Props & { onClose(): void }) {
  const at = `assistants/${assistant_id}/test-sets`
  const list = useMemo(
    () => new Resource<TestSetSummary[]>(async () => (await project.api.get(at, { limit: MOST })).data),
    [project, at],
  )
  useEffect(() => void list.read(), [list])
  const { value: sets, fault: load_fault } = list.state.value
  const [set_id, setSetId] = useState<string | null>(null)
  const [name, setName] = useState('')
  const [made, setMade] = useState<TestSetSummary | null>(null)
  const chosen = set_id ?? sets?.[0]?._id ?? ''
  // A lost answer is asked for again under the same key, so there is one case.
  const key = useMemo(() => crypto.randomUUID(), [chosen, name])
  const { run, is_busy, fault } = useAction(async () => {
    const body = { ticket_id, ...(name.trim() && { name: name.trim() }) }
    setMade((await project.api.post(`${at}/${chosen}/cases`, body, { key })).test_set)
  })
  const place = (...path: string[]) => addressOf(project.id, 'assistants', [assistant_id, 'tests', ...path])
  if (load_fault) {
    return <Trouble title="The test sets could not be loaded" error={load_fault} onRetry={() => list.read()} />
  }
  if (made) {
    return (
      <p class="note why-case" role="status">
        <Icon name="done" />
        <span>
          The conversation is a case of <a href={place(made._id, 'edit')}>“{made.name}”</a> now, without the names and
          addresses of the person. Read what it expects before you run it.
        </span>
      </p>
    )
  }
  if (sets?.length === 0) {
    return (
      <p class="note why-case">
        <Icon name="rules" />
        <span>
          The assistant has no test sets. <a href={place('new')}>Write the first one</a>, then come back.
        </span>
      </p>
    )
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void run()
  }
  return (
    <form class="why-case" onSubmit={submit} novalidate>
      <p class="faint">
        What the person said becomes the steps, and what tools answered stands for them. Names and addresses of the
        person are replaced.
      </p>
      <SelectField
        label="Test set"
        value={chosen}
        options={sets?.map((one) => ({ value: one._id, text: one.name })) ?? []}
        onChange={setSetId}
      />
      <Field label="Name of the case" hint="Without one it is named after the ticket.">
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
        {is_busy ? 'Making…' : 'Make the case'}
      </FormActions>
    </form>
  )
}
