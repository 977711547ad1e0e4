import type { BuildOptions } from '../provider.ts'

/** A file as Telegram takes it: a link that it fetches, or its own id of a file that it has. */
export function fileOf(
  { link, media_id }: { link?: string; media_id?: string },
  options: BuildOptions,
): string | undefined {
  if (media_id === undefined) return link
  const file = options.fileOf(media_id)
  return file.link || (file.provider_media_id ?? media_id)
}
