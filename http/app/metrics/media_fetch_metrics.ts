/** Metrics of files that people send, on their way from the providers. */
import type { Registry } from 'prom-client'
import type { MediaFetcherOptions } from '../../../actors/mod.ts'
import { counter, histogram } from '../../metrics/instruments.ts'

/** Passed to the fetcher, which reports its work through it. */
export function mediaFetchMetrics(registry: Registry): Required<Pick<MediaFetcherOptions, 'observe'>> {
  const fetches = counter(registry, 'parley_media_fetches_total')
  const durations = histogram(registry, 'parley_media_fetch_duration_seconds')
  return {
    observe({ channel, outcome, duration_ms }) {
      fetches.inc({ channel, outcome })
      durations.observe({ channel }, duration_ms / 1000)
    },
  }
}
