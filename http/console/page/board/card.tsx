/** A ticket on the board. It is drawn again only when its own card changes. */

import type { Signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { Assignee } from '../crm/assignee.tsx'
import { ChannelMark } from '../crm/channel.tsx'
import { inboxPlace } from '../crm/inbox_places.ts'
import { minute } from '../crm/minute.ts'
import { wordsOf } from '../crm/preview.ts'
import { amountText } from '../crm/record/amount.ts'
import { PRIORITIES } from '../crm/record/words.ts'
import { templatesOf } from '../crm/template_texts.ts'
import type { Project } from '../data/project.ts'
import { age, exactly } from '../ui/format/format.ts'
import { useElement } from '../ui/hooks.ts'
import { memo } from '../ui/memo.tsx'
import { Menu, type MenuItem } from '../ui/overlays/menu.tsx'
import { Icon } from '../ui/pictures/icons.tsx'
import { pressCard } from './card_keys.ts'
import { nameOfCard } from './cards.ts'
import { closingsOf } from './closings.ts'
import type { Desk } from './desk.ts'
import type { BoardCard } from './records.ts'

/** Pixels, with the gap below the card. */
export const CARD_HEIGHT = 122
/** Tags that have room. */
const MAX_TAGS = 2

type CardProps = {
  card: Signal<BoardCard>
  id: string
  desk: Desk
  top: number
  place: number
  count: number
  is_stop: boolean
  is_wanted: boolean
  is_carried: boolean
  is_dragged: boolean
}

export const Card = memo(
  ({ card: signal, id, desk, top, place, count, is_stop, is_wanted, is_carried, is_dragged }: CardProps) => {
    const card = signal.value
    const link = useElement<HTMLAnchorElement>()
    const { contact, unread_count, assigned_to, amount, priority, tags } = card
    const name = nameOfCard(card)
    useLayoutEffect(() => {
      if (!is_wanted) return
      link.current.focus({ preventScroll: true })
      link.current.scrollIntoView({ block: 'nearest', inline: 'nearest' })
      desk.next_focus.value = null
    }, [is_wanted])
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target !== link.current) return
      if (!pressCard(desk, id, event.key)) return
      event.preventDefault()
      event.stopPropagation()
    }
    const left = () => {
      // A card that moves to another column takes the focus with it.
      setTimeout(() => {
        if (desk.carried.peek()?.id === id && !document.activeElement?.matches(`[data-link="${id}"]`)) desk.drop(false)
      })
    }
    const style = [
      'board-card',
      is_carried && 'is-carried',
      is_dragged && 'is-dragged',
      unread_count > 0 && 'is-unread',
    ]
    return (
      <li
        class={style.filter(Boolean).join(' ')}
        style={{ transform: `translateY(${top}px)` }}
        aria-setsize={count}
        aria-posinset={place + 1}
        data-card={id}
      >
        <div class="board-card-body">
          <div class="board-card-top">
            <ChannelMark type={contact.channel_type ?? ''} />
            <a
              ref={link}
              class="board-link"
              data-link={id}
              href={inboxPlace(desk.project.id, { view: 'all', ticket_id: id })}
              draggable={false}
              tabindex={is_stop ? 0 : -1}
              aria-describedby="board-help"
              onKeyDown={pressed}
              onFocus={() => {
                desk.at.value = id
              }}
              onBlur={left}
            >
              {name}
            </a>
            {unread_count > 0 && (
              <span class="count">
                <span aria-hidden="true">{unread_count > 99 ? '99+' : unread_count}</span>
                <span class="aside">{unread_count} unread</span>
              </span>
            )}
            <CardMenu card={card} id={id} desk={desk} name={name} />
          </div>
          <p class="board-words">
            <Words card={card} project={desk.project} />
          </p>
          <div class="board-facts">
            {amount !== null && <strong class="board-amount">{amountText(amount, card.amount_currency)}</strong>}
            {priority && (
              <span class={`board-priority is-${priority}`}>
                {PRIORITIES.find(({ value }) => value === priority)?.text}
              </span>
            )}
            {tags.slice(0, MAX_TAGS).map((tag) => (
              <span class="board-tag" key={tag.id}>
                <i style={tag.color ? { background: tag.color } : undefined}></i>
                <span>{tag.name}</span>
              </span>
            ))}
            {tags.length > MAX_TAGS && <span class="faint">+{tags.length - MAX_TAGS}</span>}
            <span class="board-people">
              <When card={card} />
              {assigned_to && <Assignee user={assigned_to} />}
            </span>
          </div>
        </div>
      </li>
    )
  },
)

function Words({ card: { summary, last_message }, project }: { card: BoardCard; project: Project }) {
  if (summary) return summary
  if (!last_message) return <span class="faint">No messages yet</span>
  return <span class="faint">{wordsOf(last_message, templatesOf(project))}</span>
}

function When({ card: { last_activity_at, waiting_since } }: { card: BoardCard }) {
  const now = minute.value
  const waits = waiting_since ? `, waits for an answer since ${exactly(waiting_since)}` : ''
  return (
    <time
      class={waiting_since ? 'board-when is-waiting' : 'board-when'}
      datetime={last_activity_at}
      title={`${exactly(last_activity_at)}${waits}`}
    >
      {age(waiting_since ?? last_activity_at, now)}
    </time>
  )
}

function CardMenu({ card, id, desk, name }: { card: BoardCard; id: string; desk: Desk; name: string }) {
  const me = desk.project.user._id
  const stages = desk.stages().filter(({ _id, rules }) => _id !== card.stage?.stage_id && !rules.close_with)
  const items: MenuItem[] = [
    ...stages.map(({ _id, name }) => ({
      text: `Move to ${name}`,
      icon: 'next' as const,
      act: () => void desk.move(id, _id).then(() => desk.focus(id)),
    })),
    'line',
    card.assigned_to?.id === me
      ? { text: 'Assign to nobody', icon: 'assign', act: () => void desk.assign(id, null) }
      : { text: 'Assign to me', icon: 'assign', act: () => void desk.assign(id, me) },
    ...PRIORITIES.filter(({ value }) => value !== card.priority).map(({ value, text }) => ({
      text: `Priority: ${text.toLowerCase()}`,
      icon: 'flag' as const,
      act: () => void desk.prioritize(id, value),
    })),
    'line',
    ...closingsOf(desk.stages()).map((closing) => ({
      text: closing.action,
      icon: closing.icon,
      act: () => void desk.end(id, closing),
    })),
  ]
  return (
    <Menu
      id={`board-menu-${id}`}
      label={`Actions for ${name}`}
      class="quiet icon-button board-more"
      button={<Icon name="more" />}
      items={items}
    />
  )
}
