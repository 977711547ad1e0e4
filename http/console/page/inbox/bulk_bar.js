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
import { beginBulk, bulkFilterOf, countBulk, markAllRead } from './bulk.js'
import { BulkWatch } from './bulk_watch.js'
import { momentsAfter, momentText } from './composer/moments.js'

/** @typedef {import('./bulk.js').BulkChange} BulkChange */
/**
 * The action in words, in which `*` is the number of tickets: of a running one, of one that is done, and as a question.
 *
 * @typedef {{ action: BulkChange, doing: string, done: string, question: string }} Choice
 */

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
  useActions(() => [{ text: 'Select nothing', group: 'Inbox', keys: 'escape', act: clear }], [])

  const chooseAll = useAction(async () => {
    const counted = await countBulk(project.api, bulkFilterOf(list.filter))
    inbox.chosen.value = new Set([...chosen, ...list.ids.peek()])
    // After the effect of the new choice.
    setTimeout(() => setAll(counted))
  })

  const watch = project.part('bulk-watch', () => new BulkWatch(project))
  /** @param {Choice} choice */
  const run = async ({ action, doing, done }) => {
    try {
      const record = await beginBulk(project.api, { filter, action, expected_count: all?.total })
      const reopen = { filter, action: /** @type {const} */ ({ type: 'reopen' }) }
      watch.take(record, {
        doing: inWords(doing, count),
        done: (changed) => inWords(done, changed),
        undo:
          action.type === 'close' && !all
            ? () =>
                beginBulk(project.api, reopen).then(
                  (record) =>
                    watch.take(record, { doing: inWords('Reopening *', count), done: (n) => inWords('Reopened *', n) }),
                  (error) => toastFault('The tickets are still closed', faultOf(error)),
                )
            : undefined,
      })
      clear()
    } catch (error) {
      toastFault(`${inWords(doing, count)}: nothing was changed`, faultOf(error))
    }
  }
  const read = () => {
    const ids = [...chosen]
    clear()
    for (const id of ids) list.change(id, (row) => ({ ...row, unread_count: 0 }))
    markAllRead(project.api, ids).then(
      () => toast(inWords('Marked * as read', ids.length)),
      (error) => toastFault('Not all are marked as read', faultOf(error)),
    )
  }
  /** @param {Choice} choice */
  const choose = (choice) => (count >= ASKED_FROM ? setAsked(choice) : void run(choice))

  return html`<div class="inbox-bulk" role="toolbar" aria-label="Selected tickets">
    <p role="status">
      ${tickets(count)} selected
      ${
        !all &&
        html`<button type="button" class="link" disabled=${chooseAll.is_busy} onClick=${chooseAll.run}>
          ${chooseAll.is_busy ? 'Counting…' : 'Select all that match'}
        </button>`
      }
    </p>
    ${chooseAll.fault && html`<p class="field-error">${errorText(chooseAll.fault)}</p>`}
    <div class="inbox-bulk-actions"><${Actions} project=${project} list=${list} choose=${choose} onRead=${all ? undefined : read} />
      <button type="button" class="quiet icon-button" aria-label="Select nothing" onClick=${clear}><${Icon} name="close" /></button>
    </div>
    ${asked && html`<${Ask} choice=${asked} count=${count} most=${all?.most ?? count} run=${run} onClose=${() => setAsked(null)} />`}
  </div>`
}

/**
 * @param {{
 *   project: import('../data/project.js').Project
 *   list: import('./inbox_list.js').InboxList
 *   choose(choice: Choice): void
 *   onRead?: (() => void) | undefined
 * }} props
 */
function Actions({ project, list, choose, onRead }) {
  const definitions = project.definitions.value
  const is_closed = list.filter.is_closed === 'true'
  const users = (definitions?.users ?? []).filter(({ is_active, is_agent }) => is_active && is_agent)
  const stages = definitions?.pipelines.flatMap(({ stages }) => stages) ?? []
  /**
   * @param {string} text
   * @param {BulkChange} action
   * @param {[doing: string, done: string, question: string]} words
   */
  const item = (text, action, [doing, done, question]) => ({
    text,
    act: () => choose({ action, doing, done, question }),
  })
  const state = is_closed
    ? item('Reopen', { type: 'reopen' }, ['Reopening *', 'Reopened *', 'Reopen *'])
    : item('Close', { type: 'close' }, ['Closing *', 'Closed *', 'Close *'])
  /** @param {string | null} assigned_to @param {string} text @param {string} name */
  const to = (assigned_to, text, name) =>
    item(text, { type: 'assign', assigned_to }, [
      `Assigning * to ${name}`,
      `Assigned * to ${name}`,
      `Assign * to ${name}`,
    ])
  const assign = [
    to(project.user._id, 'Me', 'you'),
    item('Nobody', { type: 'assign', assigned_to: null }, ['Unassigning *', 'Unassigned *', 'Unassign *']),
    ...users.filter(({ _id }) => _id !== project.user._id).map(({ _id, full_name }) => to(_id, full_name, full_name)),
  ]
  /** @param {string} text @param {Date | null} until */
  const sleep = (text, until) =>
    item(text, { type: 'snooze', until: until?.toISOString() ?? null }, ['Snoozing *', 'Snoozed *', 'Snooze *'])
  const snooze = [
    sleep('Until the person writes', null),
    ...momentsAfter(new Date()).map(({ text, at }) => sleep(`${text} (${momentText(at)})`, at)),
  ]
  const move = stages.map(({ _id, name }) =>
    item(name, { type: 'move', stage_id: _id }, [`Moving * to ${name}`, `Moved * to ${name}`, `Move * to ${name}`]),
  )
  const tag = (definitions?.tags ?? []).map(({ _id, name }) =>
    item(name, { type: 'tag', add_tag_ids: [_id] }, [
      `Tagging * with ${name}`,
      `Tagged * with ${name}`,
      `Tag * with ${name}`,
    ]),
  )
  const more = [
    ...(onRead ? [{ text: 'Mark as read', act: onRead }] : []),
    ...[...PRIORITIES, null].map((priority) => {
      const text = priority ?? 'none'
      return item(priority ? `Priority: ${priority}` : 'No priority', { type: 'prioritize', priority }, [
        `Setting the priority of * to ${text}`,
        `Set the priority of * to ${text}`,
        `Set the priority of * to ${text}`,
      ])
    }),
  ]
  /** @type {[string, import('../ui/menu.js').MenuItem[]][]} */
  const menus = [
    ['Assign', assign],
    ['Snooze', is_closed ? [] : snooze],
    ['Move', move],
    ['Tag', tag],
    ['More', more],
  ]
  return html`<button type="button" class="quiet" onClick=${state.act}>${state.text}</button>
    ${menus
      .filter(([, items]) => items.length > 0)
      .map(
        ([label, items]) => html`<${Menu}
          id="bulk-${label}"
          label=${label}
          class="quiet"
          button=${html`<span>${label}</span> <${Icon} name="down" />`}
          items=${items}
          key=${label}
        />`,
      )}`
}

/**
 * @param {{ choice: Choice, count: number, most: number, run(choice: Choice): Promise<void>, onClose(): void }} props
 */
function Ask({ choice, count, most, run, onClose }) {
  const is_too_many = count > most
  const question = inWords(choice.question, count)
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

/** @param {string} words @param {number} count */
function inWords(words, count) {
  return words.replace('*', () => tickets(count))
}

/** @param {number} count */
function tickets(count) {
  return count === 1 ? '1 ticket' : `${number(count)} tickets`
}
