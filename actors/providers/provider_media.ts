/**
 * The port to providers that store files: uploads for one of their channels are stored there, and files from people are
 * fetched from there. We store the files of all other channels.
 */
import type { Readable } from 'node:stream'
import type { ByteRange } from '../../storage/mod.ts'
import type { Credentials, SendFailure } from './provider.ts'

/** A file of ours, to be uploaded to the provider. */
export type OutgoingFile = {
  path: string
  /** Bytes. */
  file_size: number
  mime_type: string
  codec: 'opus' | null
  is_animated: boolean
  filename: string | null
}

/** A file as its provider describes it. */
export type ProviderFile = { url: string; mime_type: string; file_size: number; sha256: string }

/** A kind of file that a provider takes; `max_bytes` of one file. */
export type Accepted = { mime_type: string; max_bytes: number }

export type MediaFailure = { failure: SendFailure }

/** No call rejects, none tries again. Each ends by its `deadline`, a moment of `performance.now()`; a download's answer begins by it. */
export interface ProviderMedia {
  /** Days for which an uploaded file is kept. */
  readonly days: number
  /** Undefined when the provider takes such a file; else what it would take. */
  refusal(file: OutgoingFile): Accepted[] | undefined
  upload(
    credentials: Credentials,
    file: OutgoingFile,
    deadline: number,
  ): Promise<{ provider_media_id: string } | MediaFailure>
  /** Null when the provider has no such file for this account. */
  find(
    credentials: Credentials,
    provider_media_id: string,
    deadline: number,
  ): Promise<{ file: ProviderFile | null } | MediaFailure>
  /** `size` is that of the whole file. */
  download(
    credentials: Credentials,
    file: ProviderFile,
    deadline: number,
    range?: ByteRange,
  ): Promise<{ stream: Readable; size: number } | MediaFailure>
  /** A missing file counts as removed. */
  remove(
    credentials: Credentials,
    provider_media_id: string,
    deadline: number,
  ): Promise<{ removed: true } | MediaFailure>
  close(): Promise<void>
}
