/** A column of the board: its stage, what the tickets add up to, and those of its cards that are in view. */

import { useComputed } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { amountText } from '../crm/record/amount.ts'
import { ruleTexts } from '../crm/record/words.ts'
import { number } from '../ui/format/format.ts'
import { useElement } from '../ui/hooks.ts'
import { Popover } from '../ui/overlays/popover.tsx'
import { Icon } from '../ui/pictures/icons.tsx'
import { Trouble } from '../ui/placeholders/trouble.tsx'
import { useWindow } from '../ui/window.ts'
import { CARD_HEIGHT, Card } from './card.tsx'
import type { Column } from './column_cards.ts'
import type { Desk } from './desk.ts'
import type { BoardFilter } from './records.ts'

/** Cards before the end of the column at which the next page is read. */
const AHEAD = 10
/** Beside the view, in parts of its width, columns draw their cards already. */
const BESIDE = '0px 60%'
/** A number that stands for that many or more. */
const MAX_COUNTED = 100_000

type ColumnProps = {
  desk: Desk
  column: Column
  filter: BoardFilter
}

export function BoardColumn({ desk, column, filter, root }: ColumnProps & { root: RefObject<HTMLElement> }) {
  const element = useElement<HTMLElement>()
  const is_near = useNearness(element, root)
  const { stage_id } = column
  const name = desk.nameOf(stage_id)
  const total = desk.board.totals.value.get(stage_id)
  const is_over = useComputed(() => desk.dragged.value?.over === stage_id).value
  const is_target = useComputed(() => desk.carried.value?.to === stage_id).value
  const count = total?.tickets ?? column.ids.value.length
  const amounts = total?.amounts.map(({ currency, amount }) => amountText(amount, currency)) ?? []
  const id = `board-stage-${stage_id}`
  return (
    <section
      ref={element}
      class={['board-column', is_over && 'is-over', is_target && 'is-target'].filter(Boolean).join(' ')}
      aria-labelledby={id}
      data-drop={stage_id ?? undefined}
    >
      <header class="board-column-head">
        <h2 id={id}>
          {name}{' '}
          <span class="tab-count">
            <span class="aside">, </span>
            {number(count)}
            {count >= MAX_COUNTED ? '+' : ''}
            <span class="aside">{count === 1 ? ' ticket' : ' tickets'}</span>
          </span>
        </h2>
        <Rules desk={desk} stage_id={stage_id} name={name} />
        <p class="board-column-sum" title={amounts.join(' + ')}>
          {amounts.join(' + ')}
        </p>
      </header>
      {is_near ? <Cards desk={desk} column={column} filter={filter} name={name} /> : <div class="board-cards"></div>}
    </section>
  )
}

function Cards({ desk, column, filter, name }: ColumnProps & { name: string }) {
  const scroller = useElement<HTMLDivElement>()
  const ids = column.ids.value
  const { first, end } = useWindow(scroller, ids.length, CARD_HEIGHT)
  const has_more = column.has_more.value && !column.fault.value
  const is_filtered = Object.keys(filter).length > 0
  useEffect(() => {
    if (has_more && end + AHEAD >= ids.length) void desk.board.readMore(column)
  }, [desk, column, has_more, end, ids.length])
  useLayoutEffect(() => {
    const { current } = scroller
    current.scrollTop = column.scrolled_to
    const remember = () => {
      column.scrolled_to = current.scrollTop
    }
    current.addEventListener('scroll', remember, { passive: true })
  }, [column])
  // A card that shall take the focus is scrolled to first: only cards in view exist.
  const { value: next_focus } = desk.next_focus
  useLayoutEffect(() => {
    const at = next_focus ? ids.indexOf(next_focus.id) : -1
    if (at < 0) return
    const { current } = scroller
    const top = at * CARD_HEIGHT
    if (top < current.scrollTop) current.scrollTop = top
    else if (top + CARD_HEIGHT > current.scrollTop + current.clientHeight)
      current.scrollTop = top + CARD_HEIGHT - current.clientHeight
  }, [next_focus, ids])
  const carried = desk.carried.value?.id
  const dragged = useComputed(() => desk.dragged.value?.id).value
  // Tab goes from column to column; arrow keys go from card to card.
  const at = desk.at.value
  const visible = ids.slice(first, end)
  const stop =
    at !== null && visible.includes(at)
      ? at
      : visible.find((_, n) => (first + n) * CARD_HEIGHT >= (scroller.current?.scrollTop ?? 0))
  return (
    <div class="board-cards" ref={scroller} tabindex={-1}>
      {ids.length === 0 && (
        <p class="board-none faint">{is_filtered ? 'No card matches the filters.' : 'No tickets in this stage.'}</p>
      )}
      <ol class="virtual" aria-label={`Cards in ${name}`} style={{ height: `${ids.length * CARD_HEIGHT}px` }}>
        {visible.map((id, n) => {
          const card = desk.board.card(id)
          return (
            card && (
              <Card
                card={card}
                id={id}
                desk={desk}
                top={(first + n) * CARD_HEIGHT}
                place={first + n}
                count={ids.length}
                is_stop={id === stop}
                is_wanted={id === next_focus?.id}
                is_carried={id === carried}
                is_dragged={id === dragged}
                key={id}
              />
            )
          )
        })}
      </ol>
      {column.fault.value && (
        <Trouble
          title="More could not be loaded"
          error={column.fault.value}
          onRetry={() => desk.board.readMore(column)}
        />
      )}
    </div>
  )
}

/** The rules of a stage: its effect on tickets that come to it. */
function Rules({ desk, stage_id, name }: { desk: Desk; stage_id: string | null; name: string }) {
  const stage = desk.stages().find(({ _id }) => _id === stage_id)
  const texts = stage ? ruleTexts(stage.rules, desk.project.definitions.value) : []
  if (texts.length === 0) return null
  return (
    <Popover
      id={`board-rules-${stage_id}`}
      class="quiet icon-button board-rules"
      label={`Rules of ${name}`}
      title={`This stage ${texts.join('; ')}.`}
      button={<Icon name="rules" />}
    >
      {() => (
        <div class="board-rules-list">
          <p class="faint">A ticket that comes to {name}</p>
          <ul>
            {texts.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </div>
      )}
    </Popover>
  )
}

/** True while the column is in view or beside it. */
function useNearness(element: RefObject<HTMLElement>, root: RefObject<HTMLElement>) {
  const [is_near, setNear] = useState(false)
  useLayoutEffect(() => {
    const observer = new IntersectionObserver((entries) => setNear(entries.at(-1)?.isIntersecting ?? false), {
      root: root.current,
      rootMargin: BESIDE,
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [])
  return is_near
}
