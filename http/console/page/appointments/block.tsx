/** An appointment in the calendar. */

import type { CalendarEntry } from '../records/appointment.ts'
import { Avatar } from '../ui/pictures/avatar.tsx'
import type { Moving } from './calendar.ts'
import { HOUR } from './hours.ts'
import type { Block as BlockType } from './layout.ts'
import type { usePointerMove } from './pointer_move.ts'
import type { Shared } from './shared.ts'
import { isOpen, personOf, rangeText, STATUS_WORDS, timeText } from './words.ts'

/** Minutes from which on there is room for a second line. */
const TWO_LINES = 40

export function Block({
  shared,
  block,
  moving,
  pointer,
  onKeyDown,
}: {
  shared: Shared
  block: BlockType
  moving: Moving | null
  pointer: ReturnType<typeof usePointerMove>
  onKeyDown(event: KeyboardEvent, entry: CalendarEntry): void
}) {
  const { place, days, go } = shared
  const { entry, from, to, begins, ends, column, columns, span } = block
  const { id, status, assigned_to, location, meeting_url, modality } = entry
  const minutes = to - from
  const is_moving = moving?.id === id
  const where = location ?? (meeting_url || modality === 'online' ? 'Online' : null)
  const name = personOf(entry)
  const can_move = isOpen(status)
  const is_narrow = days.length > 1 && columns > span
  const has_room = minutes >= TWO_LINES
  const aside = [
    ...(has_room && !is_narrow ? [] : [rangeText(entry, place.zone)]),
    STATUS_WORDS[status].text,
    assigned_to ? `with ${assigned_to.full_name}` : 'nobody assigned',
  ]
  const style = {
    top: `${(from / 60) * HOUR}px`,
    height: `${(minutes / 60) * HOUR - 2}px`,
    left: `calc(${(100 * column) / columns}% + 1px)`,
    width: `calc(${(100 * span) / columns}% - 3px)`,
  }
  return (
    <li class="cal-block-place" style={style}>
      <button
        type="button"
        id={`appointment-${id}`}
        class={`cal-block is-${status}${is_moving ? ' is-moving' : ''}${begins ? '' : ' is-later'}${ends ? '' : ' is-longer'}`}
        aria-keyshortcuts={can_move ? 'M' : undefined}
        onPointerDown={(event) => can_move && pointer.onBlock(event, entry, 'move')}
        onClick={() => pointer.hasMoved() || go({ open: id })}
        onKeyDown={(event) => onKeyDown(event, entry)}
      >
        <span class="cal-block-name">{name}</span>
        <span class="aside">, </span>
        {has_room && (
          <span class="cal-block-time">
            {[is_narrow ? timeText(entry.starts_at, place.zone) : rangeText(entry, place.zone), where]
              .filter(Boolean)
              .join(' · ')}
          </span>
        )}
        <span class="aside">, {aside.join(', ')}</span>
        {assigned_to && has_room && !is_narrow && (
          <Avatar name={assigned_to.full_name} id={assigned_to.id} size="small" />
        )}
      </button>
      {can_move && ends && (
        <span class="cal-handle" onPointerDown={(event) => pointer.onBlock(event, entry, 'end')}></span>
      )}
    </li>
  )
}
