import { Memory } from '../turn/memory.ts'

/** Maximum fetches under way at once, of one channel and of a project. */
export const MAX_OF_CHANNEL = 3
export const MAX_OF_PROJECT = 8
/** Those of a project that leave no room for a second one of a channel: the rest is for channels without any. */
export const MAX_OF_BUSY = 5

/** Fetches of a channel that are read to begin the next ones: those under way, which may come first, and more than fit. */
export const MAX_READ = 2 * MAX_OF_CHANNEL + 1

/** Channels whose provider asked to wait, with the Unix milliseconds until which nothing is fetched from it. */
export const pausedFetches = new Memory<Map<string, number>>(() => new Map())

/** Fetches under way on this node: channels by `media_id`. */
export const runningFetches = new Memory<Map<string, string>>(() => new Map())
