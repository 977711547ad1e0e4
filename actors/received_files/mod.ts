/** Files that people send, fetched from their providers. */
export {
  type FetchError,
  type FetchJob,
  type FetchOutcome,
  MAX_RECEIVED,
  MediaFetcher,
  type MediaFetcherOptions,
  type StoredFile,
} from './media_fetcher.ts'
