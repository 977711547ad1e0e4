/** The changes of a ticket that people get, and the fields that an assistant may set by itself. */

import type { Project } from '../../data/project.ts'
import { SelectField } from '../../ui/forms/field.tsx'
import { CheckList } from './check_list.tsx'
import type { SettingsDraft } from './settings.ts'

const OWN_FIELDS = [
  { id: 'priority', text: 'Priority' },
  { id: 'category', text: 'Category' },
  { id: 'tag_ids', text: 'Tags (it adds some, and takes none off)' },
]

export function HandOverFields({
  project,
  draft,
  set,
}: {
  project: Project
  draft: SettingsDraft
  set(change: Partial<SettingsDraft>): void
}) {
  const definitions = project.definitions.value
  const { hand_over, settable_ticket_fields: settable } = draft
  const change = (fields: Partial<SettingsDraft['hand_over']>) => set({ hand_over: { ...hand_over, ...fields } })
  const agents = definitions?.users.filter(({ is_agent, _id }) => is_agent || _id === hand_over.assigned_to) ?? []
  const stages = definitions?.pipelines.flatMap((pipeline) =>
    pipeline.stages.map(({ _id, name }) => ({ value: _id, text: `${pipeline.name}: ${name}` })),
  )
  const known = [
    ...OWN_FIELDS,
    ...(definitions?.custom_fields ?? [])
      .filter(({ owner }) => owner === 'ticket')
      .map(({ key, name }) => ({ id: `custom_fields.${key}`, text: name })),
  ]
  const gone = settable.filter((name) => !known.some(({ id }) => id === name)).map((id) => ({ id, text: id }))
  return (
    <>
      <section class="card assistant-card">
        <h2>When people get the conversation</h2>
        <div class="assistant-pair">
          <SelectField
            label="Assign it to"
            value={hand_over.assigned_to}
            options={withNone(
              'Nobody',
              agents.map(({ _id, full_name }) => ({ value: _id, text: full_name })),
              hand_over.assigned_to,
            )}
            hint="Where nobody has it."
            onChange={(assigned_to) => change({ assigned_to })}
          />
          <SelectField
            label="Move it to"
            value={hand_over.stage_id}
            options={withNone('It stays in its stage', stages ?? [], hand_over.stage_id)}
            onChange={(stage_id) => change({ stage_id })}
          />
        </div>
        <CheckList
          label="Add these tags"
          items={(definitions?.tags ?? []).map(({ _id, name }) => ({ id: _id, text: name }))}
          chosen={hand_over.tag_ids}
          none="The project has no tags."
          onChange={(tag_ids) => change({ tag_ids })}
        />
      </section>
      <section class="card assistant-card">
        <CheckList
          label="Fields of tickets that it may set by itself"
          items={[...known, ...gone]}
          chosen={settable}
          none=""
          onChange={(settable_ticket_fields) => set({ settable_ticket_fields })}
        />
      </section>
    </>
  )
}

/** The options with one for nothing, and with the chosen one also where it is gone. */
function withNone(none: string, options: { value: string; text: string }[], chosen: string) {
  const is_gone = chosen !== '' && !options.some(({ value }) => value === chosen)
  return [{ value: '', text: none }, ...options, ...(is_gone ? [{ value: chosen, text: 'Not there any more' }] : [])]
}
