import { performance } from 'node:perf_hooks'

/** One value for all who ask within `fresh_ms`; the first of them waits for it. */
export function kept<Value>(make: () => Promise<Value>, fresh_ms: number): () => Promise<Value> {
  let made_at = Number.NEGATIVE_INFINITY
  let value: Promise<Value> | undefined
  return () => {
    if (value !== undefined && performance.now() - made_at < fresh_ms) return value
    // As long as it is being made it is as fresh as can be.
    made_at = Number.POSITIVE_INFINITY
    value = make().finally(() => {
      made_at = performance.now()
    })
    return value
  }
}
