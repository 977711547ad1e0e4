/** A block in the list: opens it, and moves it by buttons or by Alt with an arrow. */

import type { AttachedBlock } from '../../records/assistant.ts'
import { toastFault } from '../../ui/overlays/toast.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import type { PartProps } from '../part.ts'
import { blockName } from '../words.ts'

export function BlockRow({
  assistants,
  open,
  block,
  at,
  of,
  href,
  is_current,
  say,
}: PartProps & {
  block: AttachedBlock
  at: number
  of: number
  href: string
  is_current: boolean
  say(text: string): void
}) {
  const name = blockName(block)
  const is_dirty = open.tried.value.some(({ block_id }) => block_id === block._id)
  const move = async (by: -1 | 1) => {
    const to = at + by
    if (to < 0 || to >= of) return
    try {
      await open.move(block, by)
      say(`${name} is block ${to + 1} of ${of} now.`)
    } catch (error) {
      toastFault(`“${name}” was not moved`, error as Error)
    }
  }
  const pressed = (event: KeyboardEvent) => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') || !assistants.may_manage) return
    event.preventDefault()
    void move(event.key === 'ArrowUp' ? -1 : 1)
  }
  return (
    <li class="assistant-block">
      <a
        href={href}
        aria-current={is_current ? 'true' : undefined}
        aria-keyshortcuts={assistants.may_manage ? 'Alt+ArrowUp Alt+ArrowDown' : undefined}
        onKeyDown={pressed}
      >
        <bdi>{name}</bdi>
        <span class="assistant-marks">
          {is_dirty && <span class="badge cancelled">Not saved</span>}
          {!is_dirty && block.current_version_id === null && <span class="badge">Empty</span>}
          {block.held_version && <span class="badge sending">One held</span>}
          {!block.content_writable && <span class="badge">Read-only</span>}
          {block.is_archived && <span class="badge">Archived</span>}
        </span>
      </a>
      {assistants.may_manage && (
        <>
          <Move name={`Move ${name} up`} icon="up" is_off={at === 0} onClick={() => move(-1)} />
          <Move name={`Move ${name} down`} icon="down" is_off={at === of - 1} onClick={() => move(1)} />
        </>
      )}
    </li>
  )
}

/** It stays in the order of focus at the ends, so that the focus is not lost by a move. */
function Move({
  name,
  icon,
  is_off,
  onClick,
}: {
  name: string
  icon: 'up' | 'down'
  is_off: boolean
  onClick(): void
}) {
  return (
    <button
      type="button"
      class="quiet icon-button"
      aria-label={name}
      aria-disabled={is_off}
      onClick={() => !is_off && onClick()}
    >
      <Icon name={icon} />
    </button>
  )
}
