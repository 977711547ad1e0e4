/** Puts down an appointment that was moved: shown at once, and back again when it is refused. */
import { faultOf } from '../data/errors.js'
import { toast } from '../ui/toast.js'
import { personOf, refusalText, whenText } from './words.js'

/**
 * @param {import('./calendar.js').Calendar} calendar
 * @param {string} zone
 */
export async function put(calendar, zone) {
  const { value: moving } = calendar.moving
  if (!moving) return
  const { id, starts, ends, before } = moving
  const entry = calendar.entries.value.get(id)
  const is_same = starts === before.starts && ends === before.ends
  if (!entry || is_same) {
    calendar.moving.value = null
    return
  }
  const asked = move(calendar, id, { starts, ends })
  calendar.moving.value = null
  try {
    await asked
    toast(`${personOf(entry)}: ${whenText(entry, zone)}`, { undo: () => void putBack(calendar, id, before, zone) })
  } catch (error) {
    toast(`It was moved back. ${refusalText(faultOf(error), zone)}`, { is_bad: true })
  }
}

/**
 * @param {import('./calendar.js').Calendar} calendar
 * @param {string} id
 * @param {{ starts: number, ends: number }} times
 */
function move(calendar, id, { starts, ends }) {
  const times = { starts_at: new Date(starts).toISOString(), ends_at: new Date(ends).toISOString() }
  return calendar.change(id, times, times)
}

/**
 * @param {import('./calendar.js').Calendar} calendar
 * @param {string} id
 * @param {{ starts: number, ends: number }} before
 * @param {string} zone
 */
async function putBack(calendar, id, before, zone) {
  try {
    await move(calendar, id, before)
  } catch (error) {
    toast(`It could not be moved back. ${refusalText(faultOf(error), zone)}`, { is_bad: true })
  }
}
