/** Times as people say them. */

export type Durations = {
  soon: string
  minutes(count: number): string
  hour: string
  hours(count: number): string
  day: string
}

const MINUTE_S = 60
const HOUR_S = 3600

/** A duration without false exactness: it is rounded up. */
export function durationIn(seconds: number, { soon, minutes, hour, hours, day }: Durations) {
  if (seconds <= 5 * MINUTE_S) return soon
  if (seconds <= 45 * MINUTE_S) return minutes(Math.ceil(seconds / MINUTE_S / 5) * 5)
  if (seconds <= HOUR_S) return hour
  if (seconds <= 12 * HOUR_S) return hours(Math.ceil(seconds / HOUR_S))
  return day
}

/** A coming moment by the visitor's clock: the time, and the day unless it is today. */
export function momentIn(language: string, at: Date) {
  const time = at.toLocaleTimeString(language, { hour: '2-digit', minute: '2-digit' })
  const days = (at.getTime() - Date.now()) / 86_400_000
  if (at.toDateString() === new Date().toDateString()) return time
  const day = days < 6 ? ({ weekday: 'long' } as const) : ({ weekday: 'long', day: 'numeric', month: 'long' } as const)
  return `${at.toLocaleDateString(language, day)}, ${time}`
}
