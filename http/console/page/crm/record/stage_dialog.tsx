/** The move into a stage that asks for more: the fields that its rules require, and the texts of the move. */

import type { TargetedEvent } from 'preact'
import { useState } from 'preact/hooks'
import { prefer, preferences } from '../../data/preferences.ts'
import type { Definitions } from '../../records/definitions.ts'
import type { AnyRecord } from '../../records/record.ts'
import { Field } from '../../ui/forms/field.tsx'
import { FormActions, Refusal } from '../../ui/forms/form_end.tsx'
import { useAction } from '../../ui/hooks.ts'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { Icon } from '../../ui/pictures/icons.tsx'
import type { StageOption } from './words.ts'
import { fieldName, PRIORITIES, ruleTexts, STAGE_TEXTS } from './words.ts'

const TEXTS = new Set(STAGE_TEXTS.map(({ name }) => name))
/** Columns of a ticket whose values are texts. */
const COLUMNS = new Set([
  'priority',
  'category',
  'amount',
  'amount_currency',
  'amount_status',
  'assigned_to',
  'resolution',
])

/**
 * `missing` are the fields that the stage requires and the ticket lacks. `onMove` gets the body of a change of the ticket
 * before the move, and the texts of the move; it rejects when one of them is refused.
 */
export function StageDialog({
  stage,
  missing,
  definitions,
  values,
  onMove,
  onClose,
}: {
  stage: StageOption
  missing: string[]
  definitions: Definitions | undefined
  values: Record<string, unknown>
  onMove(json: AnyRecord, texts: AnyRecord): Promise<void>
  onClose(): void
}) {
  const needed = withCurrency(missing)
  const [inputs, setInputs] = useState(() => usualOf(needed))
  const { run, is_busy, fault } = useAction(async () => {
    const { json, texts } = requestsOf(inputs, values, definitions)
    await onMove(json, texts)
    if (json.amount_currency) prefer({ currency: json.amount_currency })
    onClose()
  })
  const set = (name: string, value: string) => setInputs({ ...inputs, [name]: value })
  const rules = ruleTexts(stage.rules, definitions)
  const submitted = (event: SubmitEvent) => {
    event.preventDefault()
    void run()
  }
  return (
    <Dialog title={`Move to “${stage.text}”`} onClose={onClose} has_close class="panel-dialog">
      <form onSubmit={submitted}>
        {rules.length > 0 && <p class="faint">This stage {rules.join('; ')}.</p>}
        {needed.map((name) => (
          <Required
            name={name}
            definitions={definitions}
            value={inputs[name] ?? ''}
            onChange={(value) => set(name, value)}
            key={name}
          />
        ))}
        <Refusal fault={fault} />
        <FormActions onClose={onClose} is_busy={is_busy}>
          Move
        </FormActions>
      </form>
    </Dialog>
  )
}

function Required({
  name,
  definitions,
  value,
  onChange,
}: {
  name: string
  definitions: Definitions | undefined
  value: string
  onChange(value: string): void
}) {
  const options = optionsOf(name, definitions)
  const is_number = name === 'amount' || typeOf(name, definitions) === 'number'
  const changed = ({ currentTarget }: TargetedEvent<HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>) =>
    onChange(currentTarget.value)
  return (
    <Field label={fieldName(name, definitions)}>
      {(attributes) => {
        if (options) {
          return (
            <span class="select">
              <select {...attributes} required value={value} onChange={changed}>
                <option value="">Choose…</option>
                {options.map((option) => (
                  <option value={option.value} key={option.value}>
                    {option.text}
                  </option>
                ))}
              </select>
              <Icon name="down" />
            </span>
          )
        }
        if (TEXTS.has(name)) return <textarea {...attributes} required value={value} onInput={changed}></textarea>
        return (
          <input
            {...attributes}
            required
            value={value}
            type={(is_number ? 'number' : typeOf(name, definitions) === 'date' ? 'date' : 'text') as 'text'}
            step={is_number ? 'any' : undefined}
            {...(name === 'amount_currency' && { pattern: '[A-Za-z]{3}', maxlength: 3, placeholder: 'MXN' })}
            onInput={changed}
          />
        )
      }}
    </Field>
  )
}

/** An amount says little without its currency. */
function withCurrency(missing: readonly string[]) {
  if (missing.includes('amount_currency')) return missing
  return missing.flatMap((name) => (name === 'amount' ? [name, 'amount_currency'] : [name]))
}

/** The first values of the fields: the currency of the agent's last amount. */
function usualOf(needed: readonly string[]): Record<string, string> {
  const { currency } = preferences.peek()
  return currency && needed.includes('amount_currency') ? { amount_currency: currency } : {}
}

function definitionOf(name: string, definitions: Definitions | undefined) {
  return definitions?.custom_fields.find(({ owner, key }) => owner === 'ticket' && key === name)
}

function typeOf(name: string, definitions: Definitions | undefined) {
  return definitionOf(name, definitions)?.type
}

function optionsOf(name: string, definitions: Definitions | undefined) {
  if (name === 'priority') return PRIORITIES
  if (name === 'resolution') return ['won', 'lost'].map((value) => ({ value, text: value }))
  if (name === 'amount_status') return ['estimated', 'confirmed'].map((value) => ({ value, text: value }))
  if (name === 'assigned_to') {
    const users = definitions?.users.filter(({ is_active }) => is_active) ?? []
    return users.map(({ _id, full_name }) => ({ value: _id, text: full_name }))
  }
  const defined = definitionOf(name, definitions)
  if (defined?.type === 'boolean')
    return ['true', 'false'].map((value) => ({ value, text: value === 'true' ? 'yes' : 'no' }))
  return defined?.options && defined.type === 'string'
    ? defined.options.map((value) => ({ value, text: value }))
    : undefined
}

/** @param values the custom fields of the ticket */
function requestsOf(
  inputs: Record<string, string>,
  values: Record<string, unknown>,
  definitions: Definitions | undefined,
): { json: AnyRecord; texts: AnyRecord } {
  const json: AnyRecord = {}
  const texts: AnyRecord = {}
  const custom: AnyRecord = {}
  for (const [name, value] of Object.entries(inputs)) {
    if (TEXTS.has(name)) texts[name] = value
    else if (name === 'amount') json.amount = Number(value)
    else if (COLUMNS.has(name)) json[name] = name === 'amount_currency' ? value.toUpperCase() : value
    else custom[name] = typed(value, typeOf(name, definitions))
  }
  if (Object.keys(custom).length > 0) json.custom_fields = { ...values, ...custom }
  return { json, texts }
}

function typed(value: string, type: string | undefined) {
  if (type === 'number') return Number(value)
  if (type === 'boolean') return value === 'true'
  return type === 'string[]' ? value.split(',').map((part) => part.trim()) : value
}
