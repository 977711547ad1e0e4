/** The form of a test set, new or existing. */

import { useEffect, useMemo, useState } from 'preact/hooks'
import { errorText } from '../../data/errors.ts'
import type { TestSet } from '../../records/test_set.ts'
import { Field } from '../../ui/forms/field.tsx'
import { useAction } from '../../ui/hooks.ts'
import { toast } from '../../ui/overlays/toast.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import type { PartProps } from '../part.ts'
import { assistantsPlace } from '../places.ts'
import { CaseFields } from './case_fields.tsx'
import { bodyOf, type CaseDraft, draftOf, newCase, newSet, type SetDraft } from './set_draft.ts'
import { faultsOf } from './set_faults.ts'

const MOST_CASES = 200

export function SetForm({ assistants, open, set }: PartProps & { set: TestSet | null }) {
  // A later form of the record does not disturb what is typed.
  const before = useMemo(() => (set ? draftOf(set) : newSet()), [])
  const [draft, setDraft] = useState(before)
  const is_dirty = draft !== before
  useEffect(() => open.mark('tests', is_dirty), [is_dirty])
  useEffect(() => () => open.mark('tests', false), [])
  const place = (...path: string[]) => assistantsPlace(assistants.project_id, open.id, 'tests', ...path)
  const back = place(...(set ? [set._id] : []))
  const key = useMemo(() => crypto.randomUUID(), [draft])
  const [is_contested, setContested] = useState(false)
  const { run, is_busy, fault } = useAction(async () => {
    const body = bodyOf(draft)
    if (set && !is_contested && (await open.tests.one(set._id)).updated_at !== set.updated_at) {
      setContested(true)
      return
    }
    const saved = set ? await open.tests.replace(set._id, body) : await open.tests.create(body, key)
    open.mark('tests', false)
    toast(`“${saved.name}” is saved.`)
    // The guard goes with the next drawing, so the address follows that.
    setTimeout(() => {
      location.hash = place(saved._id)
    })
  })
  const faults = faultsOf(fault)
  const has_faults = Object.keys(faults).length > 0
  const change = (fields: Partial<SetDraft>) => setDraft({ ...draft, ...fields })
  const changeCase = (at: number, fields: Partial<CaseDraft>) =>
    change({ cases: draft.cases.map((one, place) => (place === at ? { ...one, ...fields } : one)) })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void run()
  }
  return (
    <form class="assistant-form" onSubmit={submit} novalidate>
      <a class="back" href={back}>
        <Icon name="back" /> {set?.name ?? 'Test sets'}
      </a>
      <h2>{set ? 'Edit the test set' : 'New test set'}</h2>
      <fieldset class="assistant-fields" disabled={!assistants.may_manage}>
        <legend class="aside">Test set</legend>
        <section class="card assistant-card">
          <Field label="Name" error={faults.name ?? null}>
            {(attributes) => (
              <input
                {...attributes}
                value={draft.name}
                maxlength={150}
                placeholder="Orders"
                autocomplete="off"
                onInput={({ currentTarget }) => change({ name: currentTarget.value })}
              />
            )}
          </Field>
          <div class="assistant-pair">
            <Field
              label="Tries of each case"
              hint="1 to 20. Models answer differently each time."
              error={faults.runs ?? null}
            >
              {(attributes) => (
                <input
                  {...attributes}
                  type="number"
                  min={1}
                  max={20}
                  value={draft.runs}
                  onInput={({ currentTarget }) => change({ runs: currentTarget.value })}
                />
              )}
            </Field>
            <Field label="Tries that must pass, in percent" hint="100: all of them." error={faults.pass_rate ?? null}>
              {(attributes) => (
                <input
                  {...attributes}
                  inputmode="decimal"
                  value={draft.pass_rate}
                  onInput={({ currentTarget }) => change({ pass_rate: currentTarget.value })}
                />
              )}
            </Field>
          </div>
        </section>
        {draft.cases.map((one, at) => (
          <CaseFields
            test_case={one}
            at={at}
            faults={faults}
            onChange={(fields) => changeCase(at, fields)}
            onRemove={
              draft.cases.length > 1
                ? () => change({ cases: draft.cases.filter((_, place) => place !== at) })
                : undefined
            }
            key={one.key}
          />
        ))}
      </fieldset>
      <div role="alert">
        {fault && (
          <p class="note bad">
            <Icon name="alert" /> {has_faults ? 'Some fields need another value.' : errorText(fault)}
          </p>
        )}
        {is_contested && (
          <p class="note wary">
            <Icon name="alert" /> Somebody else has changed this test set meanwhile. Save again to replace it.
          </p>
        )}
      </div>
      {assistants.may_manage && (
        <div class="actions assistant-save">
          <button
            type="button"
            class="button"
            disabled={draft.cases.length >= MOST_CASES}
            onClick={() => change({ cases: [...draft.cases, newCase()] })}
          >
            <Icon name="plus" /> Add a case
          </button>
          <button type="submit" class="button primary" disabled={!is_dirty} aria-busy={is_busy}>
            {is_busy ? 'Saving…' : is_contested ? 'Save mine' : 'Save'}
          </button>
          <a class="button" href={back} onClick={() => open.mark('tests', false)}>
            Cancel
          </a>
        </div>
      )}
    </form>
  )
}
