/** The columns of a board side by side, and what lies above them while a card is moved. */

import { useMemo } from 'preact/hooks'
import { StageDialog } from '../crm/record/stage_dialog.tsx'
import type { Project } from '../data/project.ts'
import { type Action, useActions } from '../ui/actions.ts'
import { useElement } from '../ui/hooks.ts'
import { Icon } from '../ui/pictures/icons.tsx'
import type { Board } from './board.ts'
import { nameOfCard } from './cards.ts'
import { type Closing, closingsOf } from './closings.ts'
import { BoardColumn } from './column.tsx'
import { Desk } from './desk.ts'
import { useDrag } from './drag.ts'
import type { BoardFilter } from './records.ts'

export function BoardView({ project, board, filter }: { project: Project; board: Board; filter: BoardFilter }) {
  const desk = useMemo(() => new Desk(project, board), [project, board])
  const root = useElement<HTMLDivElement>()
  useDrag(root, desk, (id, drop) => {
    const closing = closingsOf(desk.stages()).find((one) => one.drop === drop)
    if (closing) void desk.end(id, closing)
    else void desk.move(id, drop)
  })
  useCardActions(desk)
  const columns = board.columns.value
  // A stage that closes tickets has open ones only where they were opened again, or came before its rule.
  const closing = new Set(desk.stages().flatMap(({ _id, rules }) => (rules.close_with ? [_id] : [])))
  const visible = columns.filter(
    ({ stage_id, ids }) => (stage_id !== null && !closing.has(stage_id)) || ids.value.length > 0,
  )
  return (
    <>
      <div class="board-columns" ref={root}>
        {visible.map((column) => (
          <BoardColumn desk={desk} column={column} filter={filter} root={root} key={column.stage_id ?? 'none'} />
        ))}
      </div>
      <Closings desk={desk} />
      <p class="aside" id="board-help">
        Enter opens the ticket. Arrow keys go to other cards. Space picks the card up: then left and right choose a
        stage, space drops it, and escape cancels.
      </p>
      <p class="aside" aria-live="assertive">
        {desk.said.value}
      </p>
      <Asked desk={desk} />
    </>
  )
}

/** Where a dragged card is dropped to close its ticket. */
function Closings({ desk }: { desk: Desk }) {
  const dragged = desk.dragged.value
  if (!dragged) return null
  return (
    <div class="board-closings" aria-hidden="true">
      {closingsOf(desk.stages()).map(({ drop, text, icon, resolution }) => (
        <span
          class={`is-${resolution ?? 'close'}${dragged.over === drop ? ' is-over' : ''}`}
          data-drop={drop}
          key={drop}
        >
          <Icon name={icon} /> {text}
        </span>
      ))}
    </div>
  )
}

/** The fields that a stage requires. */
function Asked({ desk }: { desk: Desk }) {
  const asked = desk.asked.value
  if (!asked) return null
  const { id, stage_id, missing } = asked
  const stage = desk.stages().find(({ _id }) => _id === stage_id)
  if (!stage) return null
  const { api, definitions } = desk.project
  return (
    <StageDialog
      stage={{ value: stage_id, text: stage.name, rules: stage.rules }}
      missing={missing}
      definitions={definitions.value}
      values={{}}
      onMove={async (json, texts) => {
        const { custom_fields, ...others } = json
        if (custom_fields) {
          const ticket = await api.get(`crm/tickets/${id}`)
          others.custom_fields = { ...ticket.custom_fields, ...custom_fields }
        }
        if (Object.keys(others).length > 0) await desk.board.patch(id, others, {})
        await desk.send(id, stage_id, { texts })
      }}
      onClose={() => {
        desk.asked.value = null
        desk.focus(id)
      }}
    />
  )
}

/** Actions on the card that has the focus, for the keyboard and the command palette. */
function useCardActions(desk: Desk) {
  const id = desk.at.value
  const card = id === null ? undefined : desk.board.card(id)?.value
  const is_carried = desk.carried.value !== null
  const stages = desk.stages()
  useActions(() => {
    if (id === null || !card || is_carried) return []
    const group = nameOfCard(card)
    const endings = closingsOf(stages)
    const own: Action[] = [
      {
        text: 'Assign the card to me',
        group,
        icon: 'assign',
        keys: 'a',
        act: () => void desk.assign(id, desk.project.user._id),
      },
      ...endings.map((closing, n) => ({
        text: closing.action,
        group,
        icon: closing.icon,
        // The first of each kind has the key.
        ...(endings.findIndex(({ resolution }) => resolution === closing.resolution) === n && { keys: keyOf(closing) }),
        act: () => void desk.end(id, closing),
      })),
    ]
    const moves = stages
      .filter(({ _id, rules }) => _id !== card.stage?.stage_id && !rules.close_with)
      .map(({ _id, name }) => ({
        text: `Move the card to ${name}`,
        group,
        icon: 'board' as const,
        act: () => void desk.move(id, _id).then(() => desk.focus(id)),
      }))
    return [...own, ...moves]
  }, [desk, id, card, is_carried, stages])
}

function keyOf({ resolution }: Closing) {
  if (resolution === null) return 'e'
  return resolution === 'won' ? 'w' : 'x'
}
