/** Where appointments are drawn in a day: by their minutes, and beside each other where they overlap. No DOM. */
import type { CalendarEntry } from '../records/appointment.ts'
import { localOf } from './zone.ts'

/**
 * The part of an appointment in a day, in minutes since midnight. `column` counts from 0 among `columns` of the same
 * width; it may take the free ones beside it, `span`.
 */
export type Block = {
  entry: CalendarEntry
  from: number
  to: number
  begins: boolean
  ends: boolean
  column: number
  columns: number
  span: number
}

const DAY = 1440
/** A shorter appointment is drawn as long as this, so that it can be read. */
const SHORTEST = 20

/** The blocks of a day, in the order of their beginnings. */
export function blocksOf(entries: readonly CalendarEntry[], day: string, zone: string): Block[] {
  const parts = entries.flatMap((entry) => {
    const starts_at = localOf(Date.parse(entry.starts_at), zone)
    const ends_at = localOf(Date.parse(entry.ends_at), zone)
    const begins = starts_at.day === day
    const ends = ends_at.day === day
    if (starts_at.day > day || ends_at.day < day || (ends && ends_at.minutes === 0 && !begins)) return []
    const from = begins ? starts_at.minutes : 0
    // In the night in which clocks are put back, an appointment may seem to end before it begins.
    const to = Math.max(ends ? ends_at.minutes : DAY, from + SHORTEST)
    return [{ entry, from, to, begins, ends }]
  })
  parts.sort((one, other) => one.from - other.from || other.to - one.to || (one.entry.id < other.entry.id ? -1 : 1))
  return placed(parts)
}

/** @param parts in order */
function placed(parts: Omit<Block, 'column' | 'columns' | 'span'>[]): Block[] {
  const blocks: Block[] = []
  /** Those that overlap, also by way of others. */
  let group: Block[] = []
  let end = 0
  for (const part of parts) {
    if (part.from >= end) {
      widen(group)
      group = []
    }
    const taken = new Set(group.filter(({ to }) => to > part.from).map(({ column }) => column))
    let column = 0
    while (taken.has(column)) column++
    const block = { ...part, column, columns: 1, span: 1 }
    group.push(block)
    blocks.push(block)
    end = Math.max(end, part.to)
  }
  widen(group)
  return blocks
}

function widen(group: Block[]) {
  const columns = Math.max(1, ...group.map(({ column }) => column + 1))
  for (const block of group) {
    block.columns = columns
    const beside = group.filter((one) => one !== block && one.from < block.to && block.from < one.to)
    const next = Math.min(columns, ...beside.filter((one) => one.column > block.column).map(({ column }) => column))
    block.span = next - block.column
  }
}
