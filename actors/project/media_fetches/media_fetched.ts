/** From the work of this actor: an attempt at a file has ended. */
import { Media } from '../../../storage/mod.ts'
import type { FetchOutcome } from '../../received_files/mod.ts'
import type { Receiver } from '../turn/feature.ts'
import { endFetch, keepStored } from './end_fetch.ts'
import { fetchReads } from './fetch_reads.ts'
import { MAX_ATTEMPTS } from './run_fetches.ts'
import { runningFetches } from './running.ts'

export type MediaFetched = { media_id: string; attempt: number; outcome: FetchOutcome }

export const mediaFetched: Receiver<MediaFetched> = {
  reads(reads, { media_id }) {
    reads.of(fetchReads).media_ids.add(media_id)
  },
  receive(turn, { media_id, attempt, outcome }) {
    runningFetches.of(turn.state).delete(media_id)
    turn.soon(0, { type: 'run_media_fetches' })
    const { fetches, stored } = turn.records.of(fetchReads)
    const row = fetches.get(media_id)
    const file = stored.get(media_id)
    const is_here = outcome.kind === 'stored' && file?.blob_key === outcome.blob_key && file.expires_at > turn.now
    // Erased meanwhile, or begun anew.
    if (!row || row.attempts !== attempt || row.failed_at) {
      if (is_here) turn.update(Media, { media_id }, { expires_at: turn.now })
      return
    }
    if (outcome.kind === 'failed') endFetch(turn, row, outcome)
    else if (outcome.kind === 'delayed') {
      const is_last = attempt >= MAX_ATTEMPTS
      endFetch(turn, row, is_last ? { kind: 'failed', error: outcome.error } : outcome)
    } else if (is_here) keepStored(turn, row, outcome.file)
    // The turn came so late that the tidying was first.
    else endFetch(turn, row, { kind: 'delayed', error: EXPIRED, retry_after_s: null })
  },
}

const EXPIRED = { code: 'not_stored', message: 'The file could not be stored.' }
