import type { Project } from '../../data/project.ts'

/** The address of a file that the server keeps or fetches. */
export function addressOfMedia(project: Project, media_id: string, channel_id: string | null | undefined) {
  // Files that Parley keeps are found with any channel, also when that of the message has gone.
  const channel = encodeURIComponent(channel_id ?? 'none')
  return project.api.address(`media/${encodeURIComponent(media_id)}/download?phone_number_id=${channel}`)
}
