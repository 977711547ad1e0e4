/**
 * Files that people send, and that their providers have until they are fetched.
 *
 *  F1 The turn that stores a message gives each of its files a `media_id`, and stores a row of what is to be fetched. So
 *     no file is forgotten, whoever dies when: a durable timer brings the project's next owner to the rows.
 *  F2 An attempt is stored before it begins, and its result counts only while it is the last attempt. The message, the row
 *     of the file and the end of the fetch are one commit. So a message has a file once.
 *  F3 A few files of a channel are under way at once, and a few of a project: a provider that never answers holds up
 *     the files of its own channel alone.
 *  F4 A fetch that fails is tried again, with growing pauses and a last time. Then its message has the reason, and
 *     `fetch_media` begins anew.
 */
import type { Feature } from '../turn/feature.ts'
import { fetchMedia } from './fetch_media.ts'
import { mediaFetched } from './media_fetched.ts'
import { runFetches } from './run_fetches.ts'

export const mediaFetches = {
  commands: { fetch_media: fetchMedia },
  receivers: { run_media_fetches: runFetches, media_fetched: mediaFetched },
} satisfies Feature
