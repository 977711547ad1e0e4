/** The events of the socket between the page and the server, in both directions. */
import type { Broadcast } from './broadcast.ts'
import type { ErrorBody } from './fault.ts'

/** Types unknown to the page come from later releases. */
export type ProjectEvent = { type: 'broadcast.progress'; data: Broadcast }

/** The position is that of the last event. */
export type News = { project_id: string; position: string; events: ProjectEvent[] }

/** `resync`: events may have been missed, so the page reads everything again. */
export type WatchAnswer = { position: string; resync: boolean; error?: undefined } | ErrorBody

/** Events from the server, by name. */
export type Told = {
  live(news: News): void
  resync(where: { project_id: string }): void
  signed_out(): void
}

/** Requests of the page, by name. `after` is the position of the last received event. */
export type Asked = {
  watch(question: { project_id: string; after?: string }, answer: (answer: WatchAnswer) => void): void
  unwatch(question: { project_id: string }): void
}

/** `refused`: this address is not allowed. */
export type LiveState = 'connecting' | 'live' | 'reconnecting' | 'refused' | 'signed_out' | 'closed'

/** Called with what happens on the live connection. */
export type LiveListener = {
  state(state: LiveState): void
  events(project_id: string, events: ProjectEvent[]): void
  /** All of the project is to be read anew. */
  read(project_id: string): void
  signedOut(): void
}
