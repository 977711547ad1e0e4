/** A case of a test set: what the person says step by step, and what is expected of each answer. */

import type { Outcome } from '../../records/test_set.ts'
import { Field, SelectField } from '../../ui/forms/field.tsx'
import { Icon } from '../../ui/pictures/icons.tsx'
import { type CaseDraft, newStep, type StepDraft } from './set_draft.ts'
import type { SetFaults } from './set_faults.ts'
import { LANGUAGES, languageName } from './words.ts'

const MOST_STEPS = 20

const OUTCOMES: { value: Outcome | ''; text: string }[] = [
  { value: '', text: 'Any' },
  { value: 'answered', text: 'It answers' },
  { value: 'handed_over', text: 'It hands over to people' },
]

const LANGUAGE_OPTIONS = [
  { value: '', text: 'Any' },
  ...LANGUAGES.map((code) => ({ value: code, text: languageName(code) })),
]

export function CaseFields({
  test_case,
  at,
  faults,
  onChange,
  onRemove,
}: {
  test_case: CaseDraft
  at: number
  faults: SetFaults
  onChange(fields: Partial<CaseDraft>): void
  onRemove: (() => void) | undefined
}) {
  const { name, steps, fixtures } = test_case
  const changeStep = (place: number, fields: Partial<StepDraft>) =>
    onChange({ steps: steps.map((one, index) => (index === place ? { ...one, ...fields } : one)) })
  return (
    <section class="card assistant-card" aria-label={`Case ${at + 1}`}>
      <div class="assistant-place-head">
        <h3>Case {at + 1}</h3>
        {onRemove && (
          <button type="button" class="quiet icon-button" aria-label={`Remove case ${at + 1}`} onClick={onRemove}>
            <Icon name="trash" />
          </button>
        )}
      </div>
      <Field label="Name of the case" error={faults[`${at}.name`] ?? null}>
        {(attributes) => (
          <input
            {...attributes}
            value={name}
            maxlength={150}
            placeholder="Asks for an order"
            autocomplete="off"
            onInput={({ currentTarget }) => onChange({ name: currentTarget.value })}
          />
        )}
      </Field>
      {steps.map((step, place) => (
        <Step
          step={step}
          label={steps.length > 1 ? `Step ${place + 1}` : ''}
          faultOf={(field) => faults[`${at}.${place}.${field}`] ?? null}
          onChange={(fields) => changeStep(place, fields)}
          onRemove={
            steps.length > 1 ? () => onChange({ steps: steps.filter((_, index) => index !== place) }) : undefined
          }
          key={step.key}
        />
      ))}
      <div class="actions">
        <button
          type="button"
          class="button"
          disabled={steps.length >= MOST_STEPS}
          onClick={() => onChange({ steps: [...steps, newStep()] })}
        >
          <Icon name="plus" /> Add a step
        </button>
      </div>
      <details open={fixtures !== ''}>
        <summary>Results of tools</summary>
        <Field
          label="Results of tools, as JSON"
          hint="They stand for tools outside, which a run does not call. The first that fits a call answers it."
          error={faults[`${at}.fixtures`] ?? null}
        >
          {(attributes) => (
            <textarea
              {...attributes}
              spellcheck={false}
              placeholder='[{ "tool": "find_orders", "result": { "status": "on its way" } }]'
              value={fixtures}
              onInput={({ currentTarget }) => onChange({ fixtures: currentTarget.value })}
            ></textarea>
          )}
        </Field>
      </details>
    </section>
  )
}

function Step({
  step,
  label,
  faultOf,
  onChange,
  onRemove,
}: {
  step: StepDraft
  label: string
  faultOf(field: string): string | null
  onChange(fields: Partial<StepDraft>): void
  onRemove: (() => void) | undefined
}) {
  const text = (
    field: 'user' | 'includes' | 'excludes' | 'tools' | 'no_tools',
    { name, hint, rows }: { name: string; hint: string; rows: number },
  ) => (
    <Field label={name} hint={hint} error={faultOf(field)}>
      {(attributes) => (
        <textarea
          {...attributes}
          rows={rows}
          value={step[field]}
          onInput={({ currentTarget }) => onChange({ [field]: currentTarget.value })}
        ></textarea>
      )}
    </Field>
  )
  return (
    <fieldset class="tests-step-fields">
      <legend class={label === '' ? 'aside' : ''}>{label || 'Step'}</legend>
      {text('user', {
        name: 'The person says',
        hint: 'A blank line begins another message of the same burst.',
        rows: 2,
      })}
      <div class="assistant-pair">
        <SelectField
          label="What happens"
          value={step.outcome}
          options={OUTCOMES}
          onChange={(outcome) => onChange({ outcome })}
        />
        <SelectField
          label="Language of the answer"
          value={step.language}
          options={LANGUAGE_OPTIONS}
          onChange={(language) => onChange({ language })}
        />
        {text('includes', { name: 'The answer has', hint: 'One text in a line; “a | b” is one of the two.', rows: 2 })}
        {text('excludes', { name: 'The answer does not have', hint: 'One text in a line.', rows: 2 })}
        {text('tools', { name: 'It calls', hint: 'Names of tools, with commas.', rows: 1 })}
        {text('no_tools', { name: 'It does not call', hint: 'Names of tools, with commas.', rows: 1 })}
      </div>
      {onRemove && (
        <div class="actions">
          <button type="button" class="button" onClick={onRemove}>
            Remove {label.toLowerCase()}
          </button>
        </div>
      )}
    </fieldset>
  )
}
