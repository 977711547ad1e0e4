import { type Answer, type Json, sleep } from './client.ts'

export type Poller = {
  /** The events in the order in which they came. */
  seen: Json[]
  stop(): Promise<void>
}

/**
 * Polls as a careful receiver does: the next cursor counts once the events of the page are kept, and after any failure
 * the same question is asked again. `ask` gets the query.
 */
export function startPoller(ask: (query: string) => Promise<Answer>): Poller {
  const seen: Json[] = []
  let is_over = false
  const poll = async () => {
    for (let cursor = ''; !is_over; ) {
      const answer = await ask(`?wait=1&limit=7${cursor}`).catch(() => undefined)
      if (answer?.status !== 200) {
        await sleep(20)
        continue
      }
      seen.push(...answer.body.data)
      cursor = `&cursor=${answer.body.next_cursor}`
    }
  }
  const polling = poll()
  return {
    seen,
    async stop() {
      is_over = true
      await polling
    },
  }
}
