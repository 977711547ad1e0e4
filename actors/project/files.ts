/** Files that messages name by their `media_id`. */
import type { UploadedFile } from '../providers/mod.ts'
import type { ProjectChannel } from './state.ts'

/** What a turn knows of the files its messages name. */
export type Files = {
  /** @throws {Refusal} when the project has no such file, or its channel cannot send it */
  of(media_id: string, channel: ProjectChannel): UploadedFile
}

/** Ids of the provider, such as those of files it received: only it knows whether they are good. */
export const providerFiles: Files = {
  of: (media_id) => ({ media_id, provider_media_id: media_id, link: '', mime_type: null, filename: null }),
}
