/** The bar of an action on many tickets: how many are chosen, and what can be done with them. */

import { useEffect, useState } from 'preact/hooks'
import { momentsAfter, momentText } from '../crm/entry/moments.ts'
import { errorText, faultOf } from '../data/errors.ts'
import type { Project } from '../data/project.ts'
import { useActions } from '../ui/actions.ts'
import { number } from '../ui/format/format.ts'
import { useAction } from '../ui/hooks.ts'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { Menu, type MenuItem } from '../ui/overlays/menu.tsx'
import { toast, toastFault } from '../ui/overlays/toast.ts'
import { Icon } from '../ui/pictures/icons.tsx'
import { type BulkChange, beginBulk, bulkFilterOf, countBulk, markAllRead } from './bulk.ts'
import { BulkWatch } from './bulk_watch.ts'
import type { InboxList } from './inbox_list.ts'
import type { ListProps } from './list_props.ts'

/**
 * The action in words, in which `*` is the number of tickets: of a running one, of one that is done, and as a question.
 */
type Choice = { action: BulkChange; doing: string; done: string; question: string }

const PRIORITIES = ['urgent', 'high', 'medium', 'low']
/** Actions on more tickets than this ask first. */
const ASKED_FROM = 20

export function BulkBar({ project, inbox, list }: ListProps) {
  const chosen = inbox.chosen.value
  const [all, setAll] = useState<{ total: number; most: number } | null>(null)
  const [asked, setAsked] = useState<Choice | null>(null)
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
  const run = async ({ action, doing, done }: Choice) => {
    try {
      const record = await beginBulk(project.api, { filter, action, expected_count: all?.total })
      const reopen = { filter, action: { type: 'reopen' } as const }
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
  const choose = (choice: Choice) => (count >= ASKED_FROM ? setAsked(choice) : void run(choice))

  return (
    <div class="inbox-bulk" role="toolbar" aria-label="Selected tickets">
      <p role="status">
        {tickets(count)} selected
        {!all && (
          <button type="button" class="link" disabled={chooseAll.is_busy} onClick={chooseAll.run}>
            {chooseAll.is_busy ? 'Counting…' : 'Select all that match'}
          </button>
        )}
      </p>
      {chooseAll.fault && <p class="field-error">{errorText(chooseAll.fault)}</p>}
      <div class="inbox-bulk-actions">
        <Actions project={project} list={list} choose={choose} onRead={all ? undefined : read} />
        <button type="button" class="quiet icon-button" aria-label="Select nothing" onClick={clear}>
          <Icon name="close" />
        </button>
      </div>
      {asked && <Ask choice={asked} count={count} most={all?.most ?? count} run={run} onClose={() => setAsked(null)} />}
    </div>
  )
}

function Actions({
  project,
  list,
  choose,
  onRead,
}: {
  project: Project
  list: InboxList
  choose(choice: Choice): void
  onRead?: (() => void) | undefined
}) {
  const definitions = project.definitions.value
  const is_closed = list.filter.is_closed === 'true'
  const users = (definitions?.users ?? []).filter(({ is_active, is_agent }) => is_active && is_agent)
  const stages = definitions?.pipelines.flatMap(({ stages }) => stages) ?? []
  const item = (
    text: string,
    action: BulkChange,
    [doing, done, question]: [doing: string, done: string, question: string],
  ) => ({
    text,
    act: () => choose({ action, doing, done, question }),
  })
  const state = is_closed
    ? item('Reopen', { type: 'reopen' }, ['Reopening *', 'Reopened *', 'Reopen *'])
    : item('Close', { type: 'close' }, ['Closing *', 'Closed *', 'Close *'])
  const to = (assigned_to: string | null, text: string, name: string) =>
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
  const sleep = (text: string, until: Date | null) =>
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
  const menus: [string, MenuItem[]][] = [
    ['Assign', assign],
    ['Snooze', is_closed ? [] : snooze],
    ['Move', move],
    ['Tag', tag],
    ['More', more],
  ]
  return (
    <>
      <button type="button" class="quiet" onClick={state.act}>
        {state.text}
      </button>
      {menus
        .filter(([, items]) => items.length > 0)
        .map(([label, items]) => (
          <Menu
            id={`bulk-${label}`}
            label={label}
            class="quiet"
            button={
              <>
                <span>{label}</span> <Icon name="down" />
              </>
            }
            items={items}
            key={label}
          />
        ))}
    </>
  )
}

function Ask({
  choice,
  count,
  most,
  run,
  onClose,
}: {
  choice: Choice
  count: number
  most: number
  run(choice: Choice): Promise<void>
  onClose(): void
}) {
  const is_too_many = count > most
  const question = inWords(choice.question, count)
  return (
    <Dialog
      title={`${question}?`}
      onClose={onClose}
      actions={(close) => (
        <>
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
          {!is_too_many && (
            <button
              type="button"
              class="button primary"
              onClick={() => {
                close()
                void run(choice)
              }}
            >
              {question}
            </button>
          )}
        </>
      )}
    >
      <p>
        {is_too_many
          ? `One action changes ${number(most)} tickets at most. Narrow the list with a filter.`
          : 'The server changes one ticket after the other, also when you close this page.'}
      </p>
    </Dialog>
  )
}

function inWords(words: string, count: number) {
  return words.replace('*', () => tickets(count))
}

function tickets(count: number) {
  return count === 1 ? '1 ticket' : `${number(count)} tickets`
}
