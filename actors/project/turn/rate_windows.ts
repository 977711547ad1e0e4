/**
 * Rate windows. A window opens with its first request and ends after its length. Refused requests are not counted.
 * Windows are exact because one actor counts them. They are stored about once a second, so the loss of a node costs at
 * most the last second of counting.
 */
import type { ProjectLimits, RateCount, RateCounts } from '../../../storage/mod.ts'

/** The budget that a request draws on; `exempt` draws on none. */
export type Pool = 'shared' | 'ingest' | 'poll' | 'exempt'

export type WindowName = 'minute' | 'hour' | 'day' | 'ingest' | 'poll'

/** `reset` is in whole seconds, rounded up. */
export type Window = { limit: number; remaining: number; reset: number }

/** The windows after this request: three stacked ones of the shared pool, or the one of another pool. */
export type Windows = { minute: Window; hour: Window; day: Window } | { ingest: Window } | { poll: Window }

const LENGTH_MS: Record<WindowName, number> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  ingest: 60_000,
  poll: 60_000,
}
const SHARED = ['minute', 'hour', 'day'] as const
const OWN = { ingest: ['ingest'], poll: ['poll'] } as const

/** Polls of a project in a minute: a hundred a second, far more than any receiver needs. */
const POLLS_PER_MINUTE = 6000

/** Counts of closed windows. */
export function freshCounts(): RateCounts {
  const closed = () => ({ opened_at: 0, count: 0 })
  return { minute: closed(), hour: closed(), day: closed(), ingest: closed(), poll: closed() }
}

function limitOf(limits: ProjectLimits, name: WindowName): number {
  if (name === 'poll') return POLLS_PER_MINUTE
  return name === 'ingest' ? limits.ingest_minute : limits[name]
}

function roll(count: RateCount, length: number, now: number): void {
  if (now - count.opened_at < length && now >= count.opened_at) return
  count.opened_at = now
  count.count = 0
}

function windowOf(count: RateCount, name: WindowName, limits: ProjectLimits, now: number): Window {
  const limit = limitOf(limits, name)
  return {
    limit,
    remaining: Math.max(0, limit - count.count),
    reset: Math.ceil((count.opened_at + LENGTH_MS[name] - now) / 1000),
  }
}

export type Draw = { exceeded: WindowName[]; windows: Windows | undefined }

/** Counts one request in the pool's windows, unless one of them is used up or the request only looks. */
export function draw(kept: RateCounts, limits: ProjectLimits, pool: Pool, now: number, looks = false): Draw {
  if (pool === 'exempt') return { exceeded: [], windows: undefined }
  // A look must open no window.
  const counts = looks ? structuredClone(kept) : kept
  const names = pool === 'shared' ? SHARED : OWN[pool]
  const exceeded: WindowName[] = []
  for (const name of names) {
    // A release before did not count polls.
    counts[name] ??= { opened_at: 0, count: 0 }
    roll(counts[name], LENGTH_MS[name], now)
    if (counts[name].count >= limitOf(limits, name)) exceeded.push(name)
  }
  if (exceeded.length === 0 && !looks) for (const name of names) counts[name].count++
  const windows: Windows =
    pool !== 'shared'
      ? ({ [pool]: windowOf(counts[pool], pool, limits, now) } as Windows)
      : {
          minute: windowOf(counts.minute, 'minute', limits, now),
          hour: windowOf(counts.hour, 'hour', limits, now),
          day: windowOf(counts.day, 'day', limits, now),
        }
  return { exceeded, windows }
}
