/** Begins the fetches that are due, as far as there is room. Also on a timer, which outlives the node. */
import { MediaFetch } from '../../../storage/mod.ts'
import type { FetchJob, FetchOutcome, MediaFetcher } from '../../received_files/mod.ts'
import { FETCH_TIMER, LOOK_MS } from '../files/fetch_timer.ts'
import { contentIn, fileIn } from '../files/file_nodes.ts'
import type { Receiver } from '../turn/feature.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { endFetch } from './end_fetch.ts'
import { fetchReads } from './fetch_reads.ts'
import { MAX_OF_BUSY, MAX_OF_CHANNEL, MAX_OF_PROJECT, pausedFetches, runningFetches } from './running.ts'

/** Attempts at one file. Those that the end of a node broke off count. */
export const MAX_ATTEMPTS = 7

export const runFetches: Receiver<object> = {
  reads(reads) {
    reads.of(fetchReads).due = true
  },
  receive(turn, _message, { media_fetcher }) {
    if (!media_fetcher) return
    const running = runningFetches.of(turn.state)
    const paused = pausedFetches.of(turn.state)
    for (const [channel_id, until] of paused) if (until <= turn.now.getTime()) paused.delete(channel_id)
    const { due, fetches } = turn.records.of(fetchReads)
    const held = (channel_id: string) => [...running.values()].filter((one) => one === channel_id).length
    let look_at = turn.now.getTime() + LOOK_MS
    let is_work_left = running.size > 0
    const ready: MediaFetch[] = []
    for (const row of due) {
      // Ended by another message of this turn.
      if (!fetches.has(row.media_id) || row.failed_at) continue
      is_work_left = true
      if (running.has(row.media_id)) continue
      const next_at = Math.max(row.next_at.getTime(), paused.get(row.channel_id) ?? 0)
      const is_due = next_at <= turn.now.getTime()
      if (!is_due) look_at = Math.min(look_at, next_at)
      else if (!turn.is_quiet) ready.push(row)
    }
    for (const row of inTurns(ready, held)) {
      const of_channel = held(row.channel_id)
      const places = of_channel === 0 ? MAX_OF_PROJECT : MAX_OF_BUSY
      if (running.size < places && of_channel < MAX_OF_CHANNEL) begin(turn, row, media_fetcher)
    }
    if (is_work_left) turn.timer(FETCH_TIMER, new Date(look_at), { type: 'run_media_fetches' })
    else turn.cancel(FETCH_TIMER)
  },
}

/** First the channels with the fewest fetches under way: a channel whose files never come has many that are due. */
function inTurns(rows: MediaFetch[], held: (channel_id: string) => number): MediaFetch[] {
  const placed = new Map<string, number>()
  const places = rows.map((row) => {
    const place = placed.get(row.channel_id) ?? held(row.channel_id)
    placed.set(row.channel_id, place + 1)
    return { row, place }
  })
  return places.sort((one, other) => one.place - other.place).map(({ row }) => row)
}

function begin(turn: ProjectTurn, row: MediaFetch, media_fetcher: Pick<MediaFetcher, 'run'>): void {
  const { media_id, channel_id } = row
  const attempt = row.attempts + 1
  const job = jobOf(turn, row, attempt)
  if (!job) {
    endFetch(turn, row, { kind: 'failed', error: { code: 'message_gone', message: 'The message is gone.' } })
    return
  }
  if (row.attempts >= MAX_ATTEMPTS) {
    endFetch(turn, row, { kind: 'failed', error: INTERRUPTED })
    return
  }
  row.attempts = attempt
  turn.update(MediaFetch, { media_id }, { attempts: attempt })
  runningFetches.of(turn.state).set(media_id, channel_id)
  const run = async (signal: AbortSignal) => {
    const outcome: FetchOutcome = await media_fetcher.run(job, signal)
    return { type: 'media_fetched', media_id, attempt, outcome }
  }
  turn.work(run, { outside: true })
}

const INTERRUPTED = { code: 'interrupted', message: 'The nodes ended while they fetched the file.' }

/** Undefined when no message has the file any more. */
function jobOf(
  turn: ProjectTurn,
  { media_id, channel_id, reference }: MediaFetch,
  attempt: number,
): FetchJob | undefined {
  const { company_id, project_id, channels } = turn.state
  const channel = channels.get(channel_id)
  const rows = turn.records.of(fetchReads).messages.get(media_id) ?? []
  const node = rows.map((row) => fileIn(contentIn(row), media_id)).find((one) => one !== undefined)
  if (!channel || !node) return undefined
  const { mime_type, filename, provider_media_id } = node
  return {
    media_id,
    attempt,
    company_id,
    project_id,
    channel,
    reference,
    mime_type: typeof mime_type === 'string' ? mime_type : null,
    filename: typeof filename === 'string' ? filename : null,
    provider_media_id: typeof provider_media_id === 'string' ? provider_media_id : null,
  }
}
