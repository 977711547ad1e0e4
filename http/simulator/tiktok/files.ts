import type { Answer, SimulatorRequest } from '../answer.ts'
import { behaveAs } from '../behave.ts'
import type { World } from '../provider.ts'
import type { ReceivedFiles } from '../received_files.ts'
import { DIALECT, success, TikTokError } from './errors.ts'

type Json = Record<string, unknown>
/** POST /business/message/media/download/. Throws TikTokError. */
export function giveAddress(
  world: World,
  files: ReceivedFiles,
  account_id: string,
  { host }: SimulatorRequest,
  { media_id, message_id }: Json,
): Answer {
  const behaviour = world.faults.apply({ channel: 'tiktok', operation: 'media_download', phone_number_id: account_id })
  return behaveAs(DIALECT, behaviour, world.settings.latency_ms, () => {
    if (files.get(media_id)?.message_id !== message_id)
      throw new TikTokError(40007, `Media ${media_id} does not exist.`)
    return success({ download_url: `http://${host}/tiktok_media/${media_id}` })
  })
}

/** GET /tiktok_media/{media_id}: with the token in the header `x-user`. */
export function giveFile(world: World, files: ReceivedFiles, { segments, x_user }: SimulatorRequest): Answer {
  const file = files.get(segments[1])
  const is_known = world.accounts.of('tiktok').some((each) => each.access_token === x_user)
  const behaviour = world.faults.apply({ channel: 'tiktok', operation: 'download' })
  return behaveAs(DIALECT, behaviour, world.settings.latency_ms, () => {
    if (!is_known) return { status: 403 }
    return file ? { status: 200, content_type: file.mime_type, body: file.bytes } : { status: 404 }
  })
}
