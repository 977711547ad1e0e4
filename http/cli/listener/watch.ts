import { setTimeout as sleep } from 'node:timers/promises'
import { type Api, ApiRefusal } from '../connection/api.ts'

const PAUSE_MS = 2_000
const PATIENCE_MS = 5_000

type Watched = {
  /** Called each time: a development start may have another key than the one before. */
  connect(): Api
  /** The server stopped answering. */
  lost(): void
  /** The server answers again. A rejection goes to `failed` and is retried. */
  back(api: Api): Promise<void>
  failed(error: unknown): void
}

/** Polls `/health`, which no rate limit counts, until `signal` ends it. */
export async function watch({ connect, lost, back, failed }: Watched, signal: AbortSignal): Promise<void> {
  let is_up = true
  while (!signal.aborted) {
    await sleep(PAUSE_MS, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    try {
      const api = connect()
      await api.call('GET', '/health', undefined, { patience_ms: PATIENCE_MS })
      if (is_up) continue
      try {
        await back(api)
        is_up = true
      } catch (error) {
        // Still starting; the next poll shows more.
        if (error instanceof ApiRefusal && error.status !== 503) failed(error)
      }
    } catch {
      if (is_up && !signal.aborted) lost()
      is_up = false
    }
  }
}
