import type { Contact } from '../../../storage/mod.ts'

const HOUR_MS = 3_600_000

/**
 * The reply windows of a contact after a message of the person at `at`: the one of the channel ends `window_hours` later.
 * Messages may arrive late and out of order, so a window never shrinks: undefined when nothing changes.
 */
export function extendedWindows(
  { windows }: Pick<Contact, 'windows'>,
  channel_id: string,
  at: Date,
  window_hours: number,
): Contact['windows'] | undefined {
  const known = windows[channel_id]
  const expires_at = endOf(at, window_hours)
  return known !== undefined && known >= expires_at ? undefined : { ...windows, [channel_id]: expires_at }
}

/** True when the person wrote on the channel later than at this time. */
export function wroteAfter(
  { windows }: Pick<Contact, 'windows'>,
  channel_id: string,
  at: Date,
  window_hours: number,
): boolean {
  const known = windows[channel_id]
  return known !== undefined && known > endOf(at, window_hours)
}

const endOf = (at: Date, window_hours: number) => new Date(at.getTime() + window_hours * HOUR_MS).toISOString()
