export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const

export type Weekday = (typeof weekdays)[number]

/** Local times of the zone, such as 09:00. `to` may be 24:00. */
export type OpenTime = { from: string; to: string }

/** The times at which people answer. */
export type OfficeHours = {
  /** IANA name. */
  timezone: string
  /** The open times of each day in order, apart from each other. A day without any is closed. */
  weekly: Partial<Record<Weekday, OpenTime[]>>
  /** Local dates that are closed, such as 2026-12-25. */
  closed_on: string[]
}
