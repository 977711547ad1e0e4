import { performance } from 'node:perf_hooks'

/** Caches one value for `fresh_ms`; the first caller waits for it. */
export function cached<Value>(make: () => Promise<Value>, fresh_ms: number): () => Promise<Value> {
  let made_at = Number.NEGATIVE_INFINITY
  let value: Promise<Value> | undefined
  return () => {
    if (value !== undefined && performance.now() - made_at < fresh_ms) return value
    // A value that is being made stays fresh until then.
    made_at = Number.POSITIVE_INFINITY
    value = make().finally(() => {
      made_at = performance.now()
    })
    return value
  }
}
