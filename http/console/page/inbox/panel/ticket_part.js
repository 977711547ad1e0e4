/** The ticket in the panel: each field is changed in place, at once. */
import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { useActions } from '../../app/actions.js'
import { prefer, preferences } from '../../app/preferences.js'
import { Icon } from '../../ui/icons.js'
import { toastFault } from '../../ui/toast.js'
import { amountField, amountIn, amountText } from './amount.js'
import { CustomFields } from './custom_fields.js'
import { Choice, Editable, Part, Row } from './fields.js'
import { StageDialog } from './stage_dialog.js'
import { assignees, ticketActs } from './ticket_acts.js'
import { PRIORITIES, STAGE_TEXTS, SUMMARY, stageOptions } from './words.js'

/** @typedef {import('../../../page_types/record.ts').AnyRecord} AnyRecord */
/** @typedef {import('../../../page_types/definitions.ts').Definitions} Definitions */
/** @typedef {import('./ticket_changes.js').TicketChanges} TicketChanges */

/**
 * @param {{
 *   project: import('../../data/project.js').Project
 *   ticket: AnyRecord
 *   changes: TicketChanges
 *   definitions: Definitions | undefined
 * }} props
 */
export function TicketPart({ project, ticket, changes, definitions }) {
  const [asked, setAsked] = useState(/** @type {{ stage: any, missing: string[] } | null} */ (null))
  const { patch, assign, close, reopen } = ticketActs(project, ticket._id, changes)
  const stages = stageOptions(definitions)

  /** @param {string | null} stage_id */
  const move = async (stage_id) => {
    if (stage_id === null || stage_id === ticket.stage.stage_id) return
    const stage = stages.find(({ value }) => value === stage_id)
    try {
      await changes.move(stage_id)
    } catch (error) {
      const fault = /** @type {import('../../data/api.js').ApiError} */ (error)
      const { fields } = /** @type {{ fields?: string[] }} */ (fault.details ?? {})
      if (fault.code === 'STAGE_REQUIREMENTS_NOT_MET' && stage && fields) setAsked({ stage, missing: fields })
      else toastFault('The ticket was not moved', fault)
    }
  }
  useActions(
    () => [
      ...PRIORITIES.map(({ value, text }) => ({
        text: `Set the priority to ${text.toLowerCase()}`,
        group: 'Ticket',
        icon: /** @type {const} */ ('filter'),
        act: () => void patch('the priority', { priority: value }),
      })),
      ...stages.map(({ value, text }) => ({
        text: `Move the ticket to ${text}`,
        group: 'Ticket',
        icon: /** @type {const} */ ('board'),
        act: () => void move(value),
      })),
    ],
    [ticket._id, ticket.stage.stage_id, definitions],
  )

  const texts = STAGE_TEXTS.filter(({ name }) => ticket.stage[name])
  const ticket_part = html`<${Part} title="Ticket">
    <${State} ticket=${ticket} onClose=${close} onReopen=${reopen} />
    <${Choice} label="Stage" value=${ticket.stage.stage_id} options=${stages} onChange=${move} />
    <${Choice}
      label="Assignee"
      value=${ticket.assigned_to?.id ?? null}
      options=${assignees(project)}
      empty="Nobody"
      onChange=${assign}
    />
    <${Choice}
      label="Priority"
      value=${ticket.priority}
      options=${PRIORITIES}
      empty="None"
      onChange=${(/** @type {string | null} */ priority) => patch('the priority', { priority })}
    />
    <${Tags} ticket=${ticket} definitions=${definitions} onPatch=${patch} />
    <${Editable}
      label="Category"
      value=${ticket.category}
      onSave=${(/** @type {string | null} */ category) => patch('the category', { category })}
    />
    <${Amount} ticket=${ticket} onPatch=${patch} />
    <${CustomFields}
      owner="ticket"
      values=${ticket.custom_fields}
      definitions=${definitions}
      onChange=${(/** @type {Record<string, unknown>} */ custom_fields, /** @type {string} */ name) =>
        patch(`the field ${name}`, { custom_fields })}
    />
    ${texts.map(({ name, text }) => html`<${Row} label=${text} key=${name}><p class="panel-text">${ticket.stage[name]}</p><//>`)}
    ${
      asked &&
      html`<${StageDialog}
        stage=${asked.stage}
        missing=${asked.missing}
        definitions=${definitions}
        values=${ticket.custom_fields}
        onMove=${async (/** @type {AnyRecord} */ json, /** @type {AnyRecord} */ given) => {
          if (Object.keys(json).length > 0) await changes.patch('the ticket', json, {}, { is_mergeable: true })
          await changes.move(asked.stage.value, given)
        }}
        onClose=${() => setAsked(null)}
      />`
    }
  <//>`
  return [ticket_part, html`<${Summary} summary=${ticket.conversation_summary} onPatch=${patch} />`]
}

/**
 * @param {{ ticket: AnyRecord, onClose(resolution: 'won' | 'lost' | null): void, onReopen(): void }} props
 */
function State({ ticket: { is_closed, resolution }, onClose, onReopen }) {
  if (is_closed) {
    return html`<${Row} label="State">
      <span class="panel-state">${resolution ? `Closed, ${resolution}` : 'Closed'}</span>
      <button type="button" class="quiet" onClick=${onReopen}><${Icon} name="refresh" /> Reopen</button>
    <//>`
  }
  return html`<${Row} label="State">
    <span class="panel-state">Open</span>
    <button type="button" class="quiet" onClick=${() => onClose(null)}>Close</button>
    <button type="button" class="quiet" onClick=${() => onClose('won')}>Won</button>
    <button type="button" class="quiet" onClick=${() => onClose('lost')}>Lost</button>
  <//>`
}

/**
 * @param {{
 *   ticket: AnyRecord
 *   definitions: Definitions | undefined
 *   onPatch(what: string, json: AnyRecord, shown: AnyRecord, more: { is_mergeable: boolean }): void
 * }} props
 */
function Tags({ ticket, definitions, onPatch }) {
  /** @type {{ id: string, name: string, color: string | null }[]} */
  const tags = ticket.tags
  const free = definitions?.tags.filter(({ _id }) => !tags.some(({ id }) => id === _id)) ?? []
  /** @param {string} _id */
  const add = (_id) => {
    const tag = free.find((one) => one._id === _id)
    if (!tag) return
    const after = [...tags, { id: _id, name: tag.name, color: tag.color }]
    onPatch('the tags', { add_tag_ids: [_id] }, { tags: after }, { is_mergeable: true })
  }
  /** @param {string} id */
  const remove = (id) => {
    const after = tags.filter((tag) => tag.id !== id)
    onPatch('the tags', { remove_tag_ids: [id] }, { tags: after }, { is_mergeable: true })
  }
  /** @param {{ target: HTMLSelectElement }} event */
  const chosen = ({ target }) => {
    add(target.value)
    target.value = ''
  }
  return html`<${Row} label="Tags">
    <ul class="panel-tags">
      ${tags.map(
        ({ id, name, color }) => html`<li key=${id}>
          <span class="panel-dot" style=${color ? { background: color } : undefined}></span>${name}
          <button type="button" class="quiet" aria-label="Remove the tag ${name}" onClick=${() => remove(id)}><${Icon} name="close" /></button>
        </li>`,
      )}
    </ul>
    ${
      free.length > 0 &&
      html`<span class="select panel-select panel-add">
        <select aria-label="Add a tag" value="" onChange=${chosen}>
          <option value="">Add a tag…</option>
          ${free.map(({ _id, name }) => html`<option value=${_id} key=${_id}>${name}</option>`)}
        </select>
        <${Icon} name="down" />
      </span>`
    }
  <//>`
}

/**
 * @param {{ ticket: AnyRecord, onPatch(what: string, json: AnyRecord): void }} props
 */
function Amount({ ticket: { amount, amount_currency, amount_status }, onPatch }) {
  // Most amounts of a shop are in one currency.
  const usual = amount_currency ?? preferences.value.currency
  /** @param {string | null} text */
  const save = (text) => {
    if (text === null) return onPatch('the amount', { amount: null, amount_currency: null, amount_status: null })
    const given = amountIn(text)
    if (!given) return
    const currency = given.currency ?? usual
    prefer({ currency })
    onPatch('the amount', { amount: given.amount, amount_currency: currency })
  }
  /** @param {string} text */
  const problemOf = (text) =>
    (amountIn(text)?.currency ?? (amountIn(text) && usual))
      ? null
      : `Write a number and a currency, such as ${amountField(120.5, 'MXN')}.`
  const statuses = ['estimated', 'confirmed'].map((value) => ({ value, text: value }))
  return [
    html`<${Editable}
      label="Amount"
      value=${amount === null ? null : amountField(amount, amount_currency)}
      shown=${amountText(amount, amount_currency)}
      onSave=${save}
      problemOf=${problemOf}
    />`,
    amount !== null &&
      html`<${Choice}
        label="The amount is"
        value=${amount_status}
        options=${statuses}
        empty="–"
        onChange=${(/** @type {string | null} */ status) => onPatch('the amount', { amount_status: status })}
      />`,
  ]
}

/**
 * @param {{ summary: AnyRecord | null, onPatch(what: string, json: AnyRecord): void }} props
 */
function Summary({ summary, onPatch }) {
  return html`<${Part} title="Summary" is_open=${summary !== null}>
    ${SUMMARY.map(
      ({ name, text }) => html`<${Editable}
      label=${text}
      value=${summary?.[name] ?? null}
      is_long
      onSave=${(/** @type {string | null} */ value) =>
        onPatch('the summary', { conversation_summary: { ...summary, [name]: value } })}
      key=${name}
    />`,
    )}
  <//>`
}
