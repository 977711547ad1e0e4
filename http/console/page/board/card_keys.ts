/** The keys of a card that has the focus. No DOM. */
import type { Desk } from './desk.ts'

/** Cards that Page Up and Page Down skip. */
const PAGE = 5

/** Does what the key means. Returns false for keys that mean nothing here. */
export function pressCard(desk: Desk, id: string, key: string) {
  if (desk.carried.peek()) return pressCarried(desk, key)
  if (key === ' ') {
    desk.lift(id)
    return true
  }
  const to = destination(desk, id, key)
  if (to === undefined) return false
  desk.focus(to)
  return true
}

function pressCarried(desk: Desk, key: string) {
  if (key === 'ArrowLeft') desk.carry(-1)
  else if (key === 'ArrowRight') desk.carry(1)
  else if (key === ' ' || key === 'Enter') desk.drop(true)
  else if (key === 'Escape') desk.drop(false)
  else return ['ArrowUp', 'ArrowDown'].includes(key)
  return true
}

function destination(desk: Desk, id: string, key: string) {
  const columns = desk.board.columns.peek().filter(({ ids }) => ids.peek().length > 0)
  const column = columns.findIndex(({ ids }) => ids.peek().includes(id))
  const ids = columns[column]?.ids.peek() ?? []
  const at = ids.indexOf(id)
  const within = (place: number) => ids[Math.max(0, Math.min(ids.length - 1, place))]
  switch (key) {
    case 'ArrowUp':
      return within(at - 1)
    case 'ArrowDown':
      return within(at + 1)
    case 'PageUp':
      return within(at - PAGE)
    case 'PageDown':
      return within(at + PAGE)
    case 'Home':
      return within(0)
    case 'End':
      return within(ids.length - 1)
    case 'ArrowLeft':
    case 'ArrowRight': {
      const beside = columns[column + (key === 'ArrowLeft' ? -1 : 1)]?.ids.peek() ?? []
      return beside[Math.min(at, beside.length - 1)]
    }
    default:
      return undefined
  }
}
