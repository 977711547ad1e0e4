/** Metrics of files that people send, on their way from the providers. */
import { Counter, Histogram, type Registry } from 'prom-client'
import type { MediaFetcherOptions } from '../../../actors/mod.ts'

/** Upper bounds in seconds. */
const BUCKETS = [0.1, 0.5, 2, 10, 60]

/** Passed to the fetcher, which reports its work through it. */
export function mediaFetchMetrics(registry: Registry): Required<Pick<MediaFetcherOptions, 'observe'>> {
  const registers = [registry]
  const fetches = new Counter({
    name: 'parley_media_fetches_total',
    help: 'Attempts to fetch a file that a person sent, by channel and what came of them: stored, delayed (it is tried again) or failed.',
    labelNames: ['channel', 'outcome'],
    registers,
  })
  const durations = new Histogram({
    name: 'parley_media_fetch_duration_seconds',
    help: 'Time of an attempt to fetch a file that a person sent, with the wait for a place.',
    labelNames: ['channel'],
    buckets: BUCKETS,
    registers,
  })
  return {
    observe({ channel, outcome, duration_ms }) {
      fetches.inc({ channel, outcome })
      durations.observe({ channel }, duration_ms / 1000)
    },
  }
}
