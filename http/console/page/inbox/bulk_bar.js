/** The bar of an action on many tickets: how many are chosen, and what can be done with them. */
import { html } from 'htm/preact'
import { useEffect, useState } from 'preact/hooks'
import { useActions } from '../app/actions.js'
import { errorText, faultOf } from '../data/errors.js'
import { Dialog } from '../ui/dialog.js'
import { number } from '../ui/format.js'
import { useAction } from '../ui/hooks.js'
import { Icon } from '../ui/icons.js'
import { Menu } from '../ui/menu.js'
import { toast, toastFault } from '../ui/toast.js'
import { beginBulk, bulkFilterOf, countBulk } from './bulk.js'

/** @typedef {import('./bulk.js').BulkChange} BulkChange */
/** The action in words: of a running one, and as a question in which `*` is the number of tickets. */
/** @typedef {{ action: BulkChange, text: string, question: string }} Choice */

const PRIORITIES = ['urgent', 'high', 'medium', 'low']
/** Actions on more tickets than this ask first. */
const ASKED_FROM = 20

/**
 * @param {import('./list_pane.js').ListProps} props
 */
export function BulkBar({ project, inbox, list }) {
  const chosen = inbox.chosen.value
  const [all, setAll] = useState(/** @type {{ total: number, most: number } | null} */ (null))
  const [asked, setAsked] = useState(/** @type {Choice | null} */ (null))
  const filter = all ? bulkFilterOf(list.filter) : { ticket_ids: [...chosen] }
  const count = all?.total ?? chosen.size
  const clear = () => {
    inbox.chosen.value = new Set()
  }
  // Another choice is no longer all that match.
  useEffect(() => setAll(null), [chosen.size])
  useActions(() => [{ text: 'Choose nothing', group: 'Inbox', keys: 'escape', act: clear }], [])

  const chooseAll = useAction(async () => {
    const counted = await countBulk(project.api, bulkFilterOf(list.filter))
    inbox.chosen.value = new Set([...chosen, ...list.ids.peek()])
    // After the effect of the new choice.
    setTimeout(() => setAll(counted))
  })

  /** @param {Choice} choice */
  const run = async ({ action, text }) => {
    try {
      await beginBulk(project.api, { filter, action, expected_count: all?.total })
      toast(`${text}: ${tickets(count)}. It goes on in the background.`)
      clear()
    } catch (error) {
      toastFault(`${text}: nothing was changed`, faultOf(error))
    }
  }
  /** @param {Choice} choice */
  const choose = (choice) => (count >= ASKED_FROM ? setAsked(choice) : void run(choice))

  return html`<div class="inbox-bulk" role="toolbar" aria-label="Chosen tickets">
    <p role="status">
      ${tickets(count)} chosen
      ${
        !all &&
        html`<button type="button" class="link" disabled=${chooseAll.is_busy} onClick=${chooseAll.run}>
          ${chooseAll.is_busy ? 'Counting…' : 'Choose all that match'}
        </button>`
      }
    </p>
    ${chooseAll.fault && html`<p class="field-error">${errorText(chooseAll.fault)}</p>`}
    <div class="inbox-bulk-actions"><${Actions} project=${project} list=${list} choose=${choose} />
      <button type="button" class="quiet icon-button" aria-label="Choose nothing" onClick=${clear}><${Icon} name="close" /></button>
    </div>
    ${asked && html`<${Ask} choice=${asked} count=${count} most=${all?.most ?? count} run=${run} onClose=${() => setAsked(null)} />`}
  </div>`
}

/**
 * @param {{
 *   project: import('../data/project.js').Project
 *   list: import('./inbox_list.js').InboxList
 *   choose(choice: Choice): void
 * }} props
 */
function Actions({ project, list, choose }) {
  const definitions = project.definitions.value
  const is_closed = list.filter.is_closed === 'true'
  const users = (definitions?.users ?? []).filter(({ is_active, is_agent }) => is_active && is_agent)
  const stages = definitions?.pipelines.flatMap(({ stages }) => stages) ?? []
  /**
   * @param {string} text
   * @param {BulkChange} action
   * @param {string} done
   * @param {string} question
   */
  const item = (text, action, done, question) => ({ text, act: () => choose({ action, text: done, question }) })
  const assign = [
    item('Me', { type: 'assign', assigned_to: project.user._id }, 'Assigning to you', 'Assign * to you'),
    item('Nobody', { type: 'assign', assigned_to: null }, 'Unassigning', 'Unassign *'),
    ...users
      .filter(({ _id }) => _id !== project.user._id)
      .map(({ _id, full_name: name }) =>
        item(name, { type: 'assign', assigned_to: _id }, `Assigning to ${name}`, `Assign * to ${name}`),
      ),
  ]
  const move = stages.map(({ _id, name }) =>
    item(name, { type: 'move', stage_id: _id }, `Moving to ${name}`, `Move * to ${name}`),
  )
  const tag = (definitions?.tags ?? []).map(({ _id, name }) =>
    item(name, { type: 'tag', add_tag_ids: [_id] }, `Tagging with ${name}`, `Tag * with ${name}`),
  )
  const more = [
    is_closed
      ? item('Reopen', { type: 'reopen' }, 'Reopening', 'Reopen *')
      : item('Close', { type: 'close' }, 'Closing', 'Close *'),
    ...PRIORITIES.map((priority) =>
      item(
        `Priority: ${priority}`,
        { type: 'prioritize', priority },
        `Setting the priority to ${priority}`,
        `Set the priority of * to ${priority}`,
      ),
    ),
  ]
  /** @type {[string, import('../ui/icons.js').IconName, import('../ui/menu.js').MenuItem[]][]} */
  const menus = [
    ['Assign', 'assign', assign],
    ['Move', 'board', move],
    ['Tag', 'tag', tag],
    ['More', 'more', more],
  ]
  return menus
    .filter(([, , items]) => items.length > 0)
    .map(
      ([label, icon, items]) => html`<${Menu}
        id="bulk-${label}"
        label=${label}
        title=${label}
        class="quiet icon-button"
        button=${html`<${Icon} name=${icon} />`}
        items=${items}
        key=${label}
      />`,
    )
}

/**
 * @param {{ choice: Choice, count: number, most: number, run(choice: Choice): Promise<void>, onClose(): void }} props
 */
function Ask({ choice, count, most, run, onClose }) {
  const is_too_many = count > most
  const question = choice.question.replace('*', () => tickets(count))
  return html`<${Dialog}
    title="${question}?"
    onClose=${onClose}
    actions=${(/** @type {() => void} */ close) => html`
      <button type="button" class="button" onClick=${close}>Cancel</button>
      ${
        !is_too_many &&
        html`<button
          type="button"
          class="button primary"
          onClick=${() => {
            close()
            void run(choice)
          }}
        >
          ${question}
        </button>`
      }
    `}
  >
    <p>
      ${
        is_too_many
          ? `One action changes ${number(most)} tickets at most. Narrow the list with a filter.`
          : 'The server changes one ticket after the other, also when you close this page.'
      }
    </p>
  <//>`
}

/** @param {number} count */
function tickets(count) {
  return count === 1 ? '1 ticket' : `${number(count)} tickets`
}
