/**
 * Drags cards by the pointer. A mouse drags after a few pixels; a finger after a moment, because it scrolls otherwise.
 * The element below the pointer says where the card goes, by `data-drop`.
 */
import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Desk } from './desk.ts'

/** Pixels that a pointer moves before it drags. */
const SLACK = 6
/** The time after which a finger drags. */
const HOLD_MS = 260
/** Near an edge, the board scrolls by this many pixels a frame. */
const EDGE = 64
const SCROLL = 14

/** @param root the scrolling element with the cards */
export function useDrag(root: RefObject<HTMLElement>, desk: Desk, onDrop: (id: string, drop: string) => void) {
  useEffect(() => {
    const { current } = root
    if (!current) return
    let pressed: AbortController | undefined

    const begin = (down: PointerEvent) => {
      if (down.button !== 0 || !down.isPrimary || !(down.target instanceof Element)) return
      const card = down.target.closest('[data-card]')
      if (!(card instanceof HTMLElement) || down.target.closest('button, .popover')) return
      pressed?.abort()
      pressed = new AbortController()
      const { signal } = pressed
      const is_finger = down.pointerType === 'touch'
      let drag: Drag | undefined
      const start = () => {
        drag = new Drag(current, desk, card, down)
      }
      const timer = is_finger ? setTimeout(start, HOLD_MS) : undefined
      const end = (is_dropped: boolean) => {
        clearTimeout(timer)
        pressed?.abort()
        const drop = drag?.end()
        if (drag && is_dropped && drop) onDrop(card.dataset.card ?? '', drop)
        // The click that follows a drag opens nothing.
        if (drag) addEventListener('click', swallow, { capture: true, once: true })
        if (drag) setTimeout(() => removeEventListener('click', swallow, { capture: true }))
      }
      const moved = (event: PointerEvent) => {
        const is_far = Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > SLACK
        if (drag) drag.move(event)
        else if (is_far && is_finger) end(false)
        else if (is_far) start()
      }
      addEventListener('pointermove', moved, { signal })
      addEventListener('pointerup', () => end(true), { signal })
      addEventListener('pointercancel', () => end(false), { signal })
      addEventListener('blur', () => end(false), { signal })
      addEventListener('contextmenu', (event) => is_finger && event.preventDefault(), { signal })
      addEventListener('touchmove', (event) => drag && event.preventDefault(), { signal, passive: false })
      addEventListener(
        'keydown',
        (event) => {
          if (event.key !== 'Escape' || !drag) return
          event.preventDefault()
          event.stopPropagation()
          end(false)
        },
        { signal, capture: true },
      )
    }
    current.addEventListener('pointerdown', begin)
    return () => {
      pressed?.abort()
      current.removeEventListener('pointerdown', begin)
    }
  }, [desk])
}

function swallow(event: Event) {
  event.preventDefault()
  event.stopPropagation()
}

/** One drag, from its beginning to its end. */
class Drag {
  #root
  #desk
  #ghost
  #id
  /** Where the pointer holds the card. */
  #x
  #y
  #at
  #frame = 0

  constructor(root: HTMLElement, desk: Desk, card: HTMLElement, down: PointerEvent) {
    const box = card.getBoundingClientRect()
    this.#root = root
    this.#desk = desk
    this.#id = card.dataset.card ?? ''
    this.#x = down.clientX - box.left
    this.#y = down.clientY - box.top
    this.#at = { x: down.clientX, y: down.clientY }
    this.#ghost = card.cloneNode(true) as HTMLElement
    this.#ghost.classList.add('board-ghost')
    this.#ghost.setAttribute('aria-hidden', 'true')
    this.#ghost.inert = true
    this.#ghost.style.width = `${box.width}px`
    for (const one of [this.#ghost, ...this.#ghost.querySelectorAll('[id]')]) one.removeAttribute('id')
    document.body.append(this.#ghost)
    desk.dragged.value = { id: this.#id, over: null }
    this.#follow()
  }

  move({ clientX, clientY }: PointerEvent) {
    this.#at = { x: clientX, y: clientY }
  }

  /** Ends the drag. Returns what was below the pointer. */
  end() {
    cancelAnimationFrame(this.#frame)
    const over = this.#below()
    this.#ghost.remove()
    this.#desk.dragged.value = null
    return over
  }

  #follow = () => {
    const { x, y } = this.#at
    this.#ghost.style.transform = `translate(${x - this.#x}px, ${y - this.#y}px) rotate(1.5deg)`
    const { left, right } = this.#root.getBoundingClientRect()
    if (x < left + EDGE) this.#root.scrollLeft -= SCROLL
    else if (x > right - EDGE) this.#root.scrollLeft += SCROLL
    const over = this.#below()
    if (over !== this.#desk.dragged.peek()?.over) this.#desk.dragged.value = { id: this.#id, over }
    this.#frame = requestAnimationFrame(this.#follow)
  }

  #below() {
    const found = document.elementFromPoint(this.#at.x, this.#at.y)?.closest('[data-drop]')
    return found instanceof HTMLElement ? (found.dataset.drop ?? null) : null
  }
}
