import type { Project } from './project.ts'

/** The address of a file that the server keeps or fetches. */
export function addressOfMedia(project: Project, media_id: string, channel_id: string | null | undefined) {
  return addressOf(project, media_id, 'download', channel_id)
}

/** The address of the small version of a picture. */
export function addressOfThumbnail(project: Project, media_id: string, channel_id: string | null | undefined) {
  return addressOf(project, media_id, 'thumbnail', channel_id)
}

/** Pictures with small versions. Those that may move are shown as they are. */
export function hasThumbnail(media_id: unknown, mime_type: unknown): media_id is string {
  // Ids of other forms are those of a provider, which keeps no small versions.
  if (typeof media_id !== 'string' || !/^[0-9a-f]{24}$/.test(media_id)) return false
  return mime_type === undefined || mime_type === 'image/jpeg' || mime_type === 'image/png'
}

function addressOf(project: Project, media_id: string, what: string, channel_id: string | null | undefined) {
  // Files that Parley keeps are found with any channel, also when that of the message has gone.
  const channel = encodeURIComponent(channel_id ?? 'none')
  return project.api.address(`media/${encodeURIComponent(media_id)}/${what}?phone_number_id=${channel}`)
}
