/** `POST /v1/media/{id}/fetch`: fetches a file of a person that was given up, or waits for its next attempt, now. */
import { MediaFetch } from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'
import { runSoon } from '../files/fetch_timer.ts'
import type { Command } from '../turn/feature.ts'
import { changeFile } from './change_file.ts'
import { fetchReads } from './fetch_reads.ts'
import { runningFetches } from './running.ts'

export type FetchMedia = { type: 'fetch_media'; id: string }

/** @throws {Refusal} NOT_FOUND */
export const fetchMedia = {
  reads(reads, { id }) {
    reads.of(fetchReads).media_ids.add(id)
  },
  run(turn, { id: media_id }) {
    const { fetches, stored, messages } = turn.records.of(fetchReads)
    const row = fetches.get(media_id)
    if (!row) {
      const is_stored = (stored.get(media_id)?.expires_at ?? turn.now) > turn.now
      if (!is_stored) throw refuse('NOT_FOUND')
      return { body: { media_id, media_status: 'stored' as const } }
    }
    const is_running = runningFetches.of(turn.state).has(media_id) && !row.failed_at
    if (!is_running) {
      const patch = { attempts: 0, next_at: turn.now, error: null, failed_at: null }
      if (row.failed_at) {
        const pending = { media_status: 'pending', media_error: undefined } as const
        for (const message of messages.get(media_id) ?? []) changeFile(turn, message, media_id, pending)
      }
      Object.assign(row, patch)
      turn.update(MediaFetch, { media_id }, patch)
      runSoon(turn)
    }
    return { body: { media_id, media_status: 'pending' as const } }
  },
} satisfies Command<FetchMedia>
