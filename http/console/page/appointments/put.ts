/** Puts down an appointment that was moved: shown at once, and back again when it is refused. */

import { faultOf } from '../data/errors.ts'
import { toast } from '../ui/overlays/toast.ts'
import type { Calendar } from './calendar.ts'
import { personOf, refusalText, whenText } from './words.ts'

export async function put(calendar: Calendar, zone: string) {
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

function move(calendar: Calendar, id: string, { starts, ends }: { starts: number; ends: number }) {
  const times = { starts_at: new Date(starts).toISOString(), ends_at: new Date(ends).toISOString() }
  return calendar.change(id, times, times)
}

async function putBack(calendar: Calendar, id: string, before: { starts: number; ends: number }, zone: string) {
  try {
    await move(calendar, id, before)
  } catch (error) {
    toast(`It could not be moved back. ${refusalText(faultOf(error), zone)}`, { is_bad: true })
  }
}
