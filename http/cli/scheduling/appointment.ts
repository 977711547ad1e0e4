/** An appointment as the operator API shows it, and how the commands print it. */

import type { OperatorAppointment } from '../records/generated.ts'

/** Such as `2026-11-21 10:00+01:00`. */
function localTime(iso: string, timeZone: string): string {
  const time = new Date(iso)
  // Sweden writes dates as ISO 8601 does.
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' }).format(time)
  const zone = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(time)
  const { value = '' } = zone.find(({ type }) => type === 'timeZoneName') ?? {}
  return clock + (value.replace('GMT', '') || 'Z')
}

export function rowOf({ _id, number, status, starts_at, timezone, assigned_to }: OperatorAppointment): string[] {
  return [_id, String(number), status, localTime(starts_at, timezone), assigned_to?.full_name ?? '']
}

export function linesOf(one: OperatorAppointment): [string, string][] {
  const { amount, currency, payment_status, starts_at, ends_at, timezone, reminder } = one
  const sum = amount === null ? '' : `, ${amount}${currency ? ` ${currency}` : ''}`
  return [
    ['appointment', one._id],
    ['number', String(one.number)],
    ['status', one.status],
    ['begins', localTime(starts_at, timezone)],
    ['ends', localTime(ends_at, timezone)],
    ['zone', timezone],
    ['assignee', one.assigned_to ? `${one.assigned_to.full_name} (${one.assigned_to.id})` : 'none'],
    ['contact', one.chat_user ?? 'none'],
    ['customer', one.customer_id ?? 'none'],
    ['modality', one.modality],
    ['place', one.location ?? one.meeting_url ?? 'none'],
    ['payment', `${payment_status}${sum}`],
    ['reminder', reminder ? reminderText(reminder, timezone) : 'none'],
    ['project', one.project_id],
  ]
}

function reminderText(
  { template_name, status, due_at, error }: NonNullable<OperatorAppointment['reminder']>,
  zone: string,
) {
  const reason = error ? `: ${error.message}` : ''
  return `${template_name} at ${localTime(due_at, zone)}, ${status}${reason}`
}
