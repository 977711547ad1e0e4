/** A panel beside the button that opens it: the browser's own popover, closed by Escape and by a click elsewhere. */
import type { ComponentChildren, TargetedToggleEvent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useElement } from '../hooks.ts'

/** Space between the button and its panel, and around the panel, in pixels. */
const GAP = 6
const EDGE = 8

/**
 * `children` is a function of `close`; it is called while the panel is open. `button` is the content of the button.
 * `side` is where the panel goes when there is room.
 */
export function Popover({
  id,
  button,
  children,
  class: style,
  label,
  panel_label,
  title,
  side = 'below',
  role,
  onOpen,
}: {
  id: string
  button: ComponentChildren
  children: (close: () => void) => ComponentChildren
  class?: string
  label?: string
  panel_label?: string
  title?: string
  side?: 'below' | 'above'
  role?: 'menu' | 'dialog' | 'group'
  onOpen?: (panel: HTMLElement) => void
}) {
  const [is_open, setOpen] = useState(false)
  const opener = useElement<HTMLButtonElement>()
  const panel = useElement<HTMLDivElement>()

  useEffect(() => {
    if (!is_open) return
    const put = () => panel.current && opener.current && putBeside(panel.current, opener.current, side)
    put()
    onOpen?.(panel.current)
    const observer = new ResizeObserver(put)
    observer.observe(panel.current)
    addEventListener('resize', put)
    return () => {
      observer.disconnect()
      removeEventListener('resize', put)
    }
  }, [is_open])

  const toggled = ({ newState }: TargetedToggleEvent<HTMLElement>) => setOpen(newState === 'open')
  return (
    <>
      <button
        type="button"
        ref={opener}
        class={style ?? 'quiet'}
        popovertarget={id}
        aria-expanded={is_open}
        aria-haspopup={role === 'menu' ? 'menu' : undefined}
        aria-label={label}
        title={title}
      >
        {button}
      </button>
      <div
        id={id}
        ref={panel}
        popover="auto"
        class="popover"
        role={role ?? 'group'}
        aria-label={panel_label ?? label}
        onToggle={toggled}
      >
        {is_open && children(() => panel.current.hidePopover())}
      </div>
    </>
  )
}

function putBeside(panel: HTMLElement, opener: HTMLElement, side: 'below' | 'above') {
  const beside = opener.getBoundingClientRect()
  const { offsetWidth: width, offsetHeight: height } = panel
  const below = beside.bottom + GAP
  const above = beside.top - GAP - height
  const fits_below = below + height <= innerHeight - EDGE
  const top = side === 'below' ? (fits_below || above < EDGE ? below : above) : above >= EDGE ? above : below
  const left = beside.left + width <= innerWidth - EDGE ? beside.left : beside.right - width
  panel.style.top = `${Math.max(EDGE, Math.min(top, innerHeight - height - EDGE))}px`
  panel.style.left = `${Math.max(EDGE, Math.min(left, innerWidth - width - EDGE))}px`
}
