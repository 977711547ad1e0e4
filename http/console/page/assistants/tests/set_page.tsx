/** A test set: started from here, with its runs and its cases. */

import { useMemo, useState } from 'preact/hooks'
import type { TestCase, TestRunSummary, TestSet } from '../../records/test_set.ts'
import { Switch } from '../../ui/forms/field.tsx'
import { Refusal } from '../../ui/forms/form_end.tsx'
import { useAction } from '../../ui/hooks.ts'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { Menu } from '../../ui/overlays/menu.tsx'
import { toast } from '../../ui/overlays/toast.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import { Trouble } from '../../ui/placeholders/trouble.tsx'
import { Waiting } from '../../ui/placeholders/waiting.tsx'
import type { PartProps } from '../part.ts'
import { assistantsPlace } from '../places.ts'
import { RunRow } from './run_row.tsx'
import { expectationText } from './words.ts'

export function SetPage({ set_id, ...props }: PartProps & { set_id: string }) {
  const { open, assistants } = props
  const resource = open.tests.set.value
  const { value, fault } = resource?.state.value ?? {}
  const back = assistantsPlace(assistants.project_id, open.id, 'tests')
  return (
    <>
      <a class="back" href={back}>
        <Icon name="back" /> Test sets
      </a>
      {!value && fault && (
        <Trouble title="The test set could not be loaded" error={fault} onRetry={() => resource?.read()} />
      )}
      {!value && !fault && <Waiting label="Loading the test set" rows={3} />}
      {value?._id === set_id && <Shown {...props} set={value} />}
    </>
  )
}

function Shown({ assistants, open, assistant, set }: PartProps & { set: TestSet }) {
  const { tests } = open
  const [is_deleting, setDeleting] = useState(false)
  const runs = tests.runs.value?.state.value
  const place = (...path: string[]) => assistantsPlace(assistants.project_id, open.id, 'tests', set._id, ...path)
  const [started, setStarted] = useState(0)
  const tried = open.tried.value.length
  const has_held = assistant.blocks.some(({ held_version }) => held_version)
  /** A run for versions that wait for this set is what people mean. */
  const [with_held, setWithHeld] = useState(() =>
    assistant.blocks.some(({ held_version }) => held_version?.test_set_id === set._id),
  )
  // A lost answer is asked for again under the same key, so a press starts one run.
  const key = useMemo(() => crypto.randomUUID(), [started, with_held])
  const { run, is_busy, fault } = useAction(async () => {
    const { _id } = await tests.start(set._id, has_held && with_held ? { held: true } : {}, key)
    setStarted(started + 1)
    location.hash = place('runs', _id)
  })
  return (
    <>
      <div class="section-head">
        <h2>
          <bdi>{set.name}</bdi>
        </h2>
        {assistants.may_manage && (
          <div class="actions">
            <button type="button" class="button primary" aria-busy={is_busy} onClick={run}>
              <Icon name="send" /> {is_busy ? 'Starting…' : 'Run'}
            </button>
            <a class="button" href={place('edit')}>
              <Icon name="edit" /> Edit
            </a>
            <Menu
              id="test-set-more"
              class="button icon-button"
              label="More about the test set"
              button={<Icon name="more" />}
              items={[{ text: 'Delete…', icon: 'trash', is_danger: true, act: () => setDeleting(true) }]}
            />
          </div>
        )}
      </div>
      <p class="faint">
        {set.runs > 1 ? `Each case is tried ${set.runs} times.` : 'Each case is tried once.'} At least{' '}
        {Math.round(set.pass_rate * 100)}% of the tries must pass. The model is asked, and budgets count it; tools
        outside are not called.
      </p>
      {has_held && assistants.may_manage && (
        <div class="card assistant-card">
          <Switch
            label="Run with versions that are held"
            hint="Where it passes, versions that are held for this set are released."
            is_on={with_held}
            onChange={setWithHeld}
          />
        </div>
      )}
      {tried > 0 && (
        <p class="note wary">
          <Icon name="alert" /> Runs use the instructions as they are saved, without what you have changed.
        </p>
      )}
      <Refusal fault={fault} />
      <section class="card assistant-card" aria-labelledby="test-runs">
        <h3 id="test-runs">Runs</h3>
        {!runs?.value && !runs?.fault && <Waiting label="Loading the runs" rows={1} />}
        {runs?.fault && (
          <Trouble title="The runs could not be loaded" error={runs.fault} onRetry={() => tests.read()} />
        )}
        {runs?.value?.length === 0 && <p class="faint">It was never run.</p>}
        <ul class="tests-runs">
          {runs?.value?.map((one: TestRunSummary) => (
            <RunRow run={one} href={place('runs', one._id)} key={one._id} />
          ))}
        </ul>
      </section>
      <section class="card assistant-card" aria-labelledby="test-cases">
        <h3 id="test-cases">Cases</h3>
        <ol class="tests-cases">
          {set.cases.map((one) => (
            <Case test_case={one} key={one.name} />
          ))}
        </ol>
      </section>
      {is_deleting && <DeleteDialog {...{ assistants, open, set }} onClose={() => setDeleting(false)} />}
    </>
  )
}

function Case({ test_case: { name, steps } }: { test_case: TestCase }) {
  return (
    <li>
      <b>
        <bdi>{name}</bdi>
      </b>
      {steps.map(({ user, expect }, at) => (
        <div class="tests-step" key={at}>
          <p>“{typeof user === 'string' ? user : user.join(' / ')}”</p>
          <p class="faint">{expectationText(expect)}</p>
        </div>
      ))}
    </li>
  )
}

function DeleteDialog({
  assistants,
  open,
  set,
  onClose,
}: Pick<PartProps, 'assistants' | 'open'> & { set: TestSet; onClose(): void }) {
  const { run, is_busy, fault } = useAction(async () => {
    await open.tests.remove(set._id)
    onClose()
    toast(`“${set.name}” is deleted.`)
    location.hash = assistantsPlace(assistants.project_id, open.id, 'tests')
  })
  return (
    <Dialog
      title={`Delete “${set.name}”?`}
      onClose={onClose}
      actions={
        <>
          <button type="button" class="button" onClick={onClose}>
            Back
          </button>
          <button type="button" class="button danger full" aria-busy={is_busy} onClick={run}>
            {is_busy ? 'Deleting…' : 'Delete'}
          </button>
        </>
      }
    >
      <p>Its runs are deleted, too. This cannot be undone.</p>
      <Refusal fault={fault} />
    </Dialog>
  )
}
