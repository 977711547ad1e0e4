/** The ticket in the panel: each field is changed in place, at once. */

import type { TargetedEvent } from 'preact'
import { useState } from 'preact/hooks'
import { amountField, amountIn, amountText } from '../../crm/record/amount.ts'
import { CustomFields } from '../../crm/record/custom_fields.tsx'
import { Choice, Editable, Part, Row } from '../../crm/record/fields.tsx'
import { StageDialog } from '../../crm/record/stage_dialog.tsx'
import type { TicketChanges } from '../../crm/record/ticket_changes.ts'
import type { StageOption } from '../../crm/record/words.ts'
import { PRIORITIES, STAGE_TEXTS, stageOptions } from '../../crm/record/words.ts'
import type { ApiError } from '../../data/api.ts'
import { prefer, preferences } from '../../data/preferences.ts'
import type { Project } from '../../data/project.ts'
import type { Definitions } from '../../records/definitions.ts'
import type { AnyRecord } from '../../records/record.ts'
import { useActions } from '../../ui/actions.ts'
import { toastFault } from '../../ui/overlays/toast.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import { SummaryPart } from './summary_part.tsx'
import { assignees, ticketActs } from './ticket_acts.ts'

export function TicketPart({
  project,
  ticket,
  changes,
  definitions,
}: {
  project: Project
  ticket: AnyRecord
  changes: TicketChanges
  definitions: Definitions | undefined
}) {
  const [asked, setAsked] = useState<{ stage: StageOption; missing: string[] } | null>(null)
  const { patch, assign, close, reopen } = ticketActs(project, ticket._id, changes)
  const stages = stageOptions(definitions)

  const move = async (stage_id: string | null) => {
    if (stage_id === null || stage_id === ticket.stage.stage_id) return
    const stage = stages.find(({ value }) => value === stage_id)
    try {
      await changes.move(stage_id)
    } catch (error) {
      const fault = error as ApiError
      const { fields } = (fault.details ?? {}) as { fields?: string[] }
      if (fault.code === 'STAGE_REQUIREMENTS_NOT_MET' && stage && fields) setAsked({ stage, missing: fields })
      else toastFault('The ticket was not moved', fault)
    }
  }
  useActions(
    () => [
      ...PRIORITIES.map(({ value, text }) => ({
        text: `Set the priority to ${text.toLowerCase()}`,
        group: 'Ticket',
        icon: 'filter' as const,
        act: () => void patch('the priority', { priority: value }),
      })),
      ...stages.map(({ value, text }) => ({
        text: `Move the ticket to ${text}`,
        group: 'Ticket',
        icon: 'board' as const,
        act: () => void move(value),
      })),
    ],
    [ticket._id, ticket.stage.stage_id, definitions],
  )

  const texts = STAGE_TEXTS.filter(({ name }) => ticket.stage[name])
  const ticket_part = (
    <Part title="Ticket">
      <State ticket={ticket} onClose={close} onReopen={reopen} />
      <Choice label="Stage" value={ticket.stage.stage_id} options={stages} onChange={move} />
      <Choice
        label="Assignee"
        value={ticket.assigned_to?.id ?? null}
        options={assignees(project)}
        empty="Nobody"
        onChange={assign}
      />
      <Choice
        label="Priority"
        value={ticket.priority}
        options={PRIORITIES}
        empty="None"
        onChange={(priority) => patch('the priority', { priority })}
      />
      <Tags ticket={ticket} definitions={definitions} onPatch={patch} />
      <Editable label="Category" value={ticket.category} onSave={(category) => patch('the category', { category })} />
      <Editable
        label="External id"
        value={ticket.external_id}
        onSave={(external_id) => patch('the external id', { external_id })}
      />
      <Amount ticket={ticket} onPatch={patch} />
      <CustomFields
        owner="ticket"
        values={ticket.custom_fields}
        definitions={definitions}
        onChange={(custom_fields, name) => patch(`the field ${name}`, { custom_fields })}
      />
      {texts.map(({ name, text }) => (
        <Row label={text} key={name}>
          <p class="panel-text">{ticket.stage[name]}</p>
        </Row>
      ))}
      {asked && (
        <StageDialog
          stage={asked.stage}
          missing={asked.missing}
          definitions={definitions}
          values={ticket.custom_fields}
          onMove={async (json, inputs) => {
            if (Object.keys(json).length > 0) await changes.patch('the ticket', json, {}, { is_mergeable: true })
            await changes.move(asked.stage.value, inputs)
          }}
          onClose={() => setAsked(null)}
        />
      )}
    </Part>
  )
  return [ticket_part, <SummaryPart project={project} ticket={ticket} onPatch={patch} key={ticket._id} />]
}

function State({
  ticket: { is_closed, resolution },
  onClose,
  onReopen,
}: {
  ticket: AnyRecord
  onClose(resolution: 'won' | 'lost' | null): void
  onReopen(): void
}) {
  if (is_closed) {
    return (
      <Row label="State">
        <span class="panel-state">{resolution ? `Closed, ${resolution}` : 'Closed'}</span>
        <button type="button" class="quiet" onClick={onReopen}>
          <Icon name="refresh" /> Reopen
        </button>
      </Row>
    )
  }
  return (
    <Row label="State">
      <span class="panel-state">Open</span>
      <button type="button" class="quiet" onClick={() => onClose(null)}>
        Close
      </button>
      <button type="button" class="quiet" onClick={() => onClose('won')}>
        Won
      </button>
      <button type="button" class="quiet" onClick={() => onClose('lost')}>
        Lost
      </button>
    </Row>
  )
}

function Tags({
  ticket,
  definitions,
  onPatch,
}: {
  ticket: AnyRecord
  definitions: Definitions | undefined
  onPatch(what: string, json: AnyRecord, overlay: AnyRecord, more: { is_mergeable: boolean }): void
}) {
  const tags: { id: string; name: string; color: string | null }[] = ticket.tags
  const free = definitions?.tags.filter(({ _id }) => !tags.some(({ id }) => id === _id)) ?? []
  const add = (_id: string) => {
    const tag = free.find((one) => one._id === _id)
    if (!tag) return
    const after = [...tags, { id: _id, name: tag.name, color: tag.color }]
    onPatch('the tags', { add_tag_ids: [_id] }, { tags: after }, { is_mergeable: true })
  }
  const remove = (id: string) => {
    const after = tags.filter((tag) => tag.id !== id)
    onPatch('the tags', { remove_tag_ids: [id] }, { tags: after }, { is_mergeable: true })
  }
  const chosen = ({ currentTarget }: TargetedEvent<HTMLSelectElement>) => {
    add(currentTarget.value)
    currentTarget.value = ''
  }
  return (
    <Row label="Tags">
      <ul class="panel-tags">
        {tags.map(({ id, name, color }) => (
          <li key={id}>
            <span class="panel-dot" style={color ? { background: color } : undefined}></span>
            {name}
            <button type="button" class="quiet" aria-label={`Remove the tag ${name}`} onClick={() => remove(id)}>
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
      {free.length > 0 && (
        <span class="select panel-select panel-add">
          <select aria-label="Add a tag" value="" onChange={chosen}>
            <option value="">Add a tag…</option>
            {free.map(({ _id, name }) => (
              <option value={_id} key={_id}>
                {name}
              </option>
            ))}
          </select>
          <Icon name="down" />
        </span>
      )}
    </Row>
  )
}

function Amount({
  ticket: { amount, amount_currency, amount_status },
  onPatch,
}: {
  ticket: AnyRecord
  onPatch(what: string, json: AnyRecord): void
}) {
  // Most amounts of a shop are in one currency.
  const usual = amount_currency ?? preferences.value.currency
  const save = (text: string | null) => {
    if (text === null) return onPatch('the amount', { amount: null, amount_currency: null, amount_status: null })
    const fields = amountIn(text)
    if (!fields) return
    const currency = fields.currency ?? usual
    prefer({ currency })
    onPatch('the amount', { amount: fields.amount, amount_currency: currency })
  }
  const problemOf = (text: string) =>
    (amountIn(text)?.currency ?? (amountIn(text) && usual))
      ? null
      : `Write a number and a currency, such as ${amountField(120.5, 'MXN')}.`
  const statuses = ['estimated', 'confirmed'].map((value) => ({ value, text: value }))
  return [
    <Editable
      label="Amount"
      value={amount === null ? null : amountField(amount, amount_currency)}
      display={amountText(amount, amount_currency)}
      onSave={save}
      problemOf={problemOf}
    />,
    amount !== null && (
      <Choice
        label="The amount is"
        value={amount_status}
        options={statuses}
        empty="–"
        onChange={(status) => onPatch('the amount', { amount_status: status })}
      />
    ),
  ]
}
