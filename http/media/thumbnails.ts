/** Thumbnails of the pictures of messages and notes: made when somebody first looks at one, and kept with the file. */
import type { Readable } from 'node:stream'
import { kindsOf, makeThumbnail, PICTURES } from '../../actors/mod.ts'
import { FairSlots, Refusal, Unavailable } from '../../runtime/mod.ts'
import { type Database, findThumbnail, keepThumbnail, type Media, type MediaThumbnail } from '../../storage/mod.ts'

/** Pictures at once on this node. One of a company, so that its pictures, however large, leave a place to another. */
const PLACES = 2
const MAX_OF_COMPANY = 1
const MAX_WAITING = 500
const MAX_WAITING_OF_COMPANY = 100
/** Bytes of a picture. */
const MAX_BYTES = 32 * 1024 * 1024

export class Thumbnails {
  readonly #places = new FairSlots(PLACES, {
    max_of_one: MAX_OF_COMPANY,
    max_waiting: MAX_WAITING,
    max_waiting_of_one: MAX_WAITING_OF_COMPANY,
  })

  /**
   * The thumbnail of a file, as WebP.
   *
   * @param open opens the picture
   * @throws {Refusal} MEDIA_NOT_ACCEPTED for a file that is no picture, or one that cannot be read
   * @throws {Unavailable} when too many pictures wait
   */
  async of(database: Database, row: Media, open: () => Promise<Readable>): Promise<Buffer> {
    const { mime_type, file_size } = row
    if (!PICTURES.includes(mime_type)) throw notAccepted(row, `Files of type ${mime_type} have no thumbnail.`)
    if (file_size > MAX_BYTES) throw notAccepted(row, `Pictures of more than ${MAX_BYTES} bytes have no thumbnail.`)
    const { bytes, failure } = (await findThumbnail(database, row.media_id)) ?? (await this.#make(database, row, open))
    if (bytes) return Buffer.from(bytes)
    throw notAccepted(row, REASONS[failure ?? ''] ?? 'The picture cannot be read.')
  }

  async #make(database: Database, row: Media, open: () => Promise<Readable>): Promise<MediaThumbnail> {
    const { media_id, company_id } = row
    const free = await this.#places.take(company_id).catch(() => {
      throw new Unavailable('Too many thumbnails are being made.')
    })
    try {
      // Another request may have had it made meanwhile.
      const found = await findThumbnail(database, media_id)
      if (found) return found
      const made = await makeThumbnail(await open())
      const thumbnail = Buffer.isBuffer(made)
        ? { media_id, bytes: made, failure: null }
        : { media_id, bytes: null, failure: made.failure }
      await keepThumbnail(database, thumbnail)
      return thumbnail
    } finally {
      free()
    }
  }
}

const REASONS: Record<string, string> = {
  too_many_pixels: 'The picture has more than 40 million pixels.',
  too_complex: 'Making the thumbnail takes too much time or memory.',
}

function notAccepted({ mime_type, file_size }: Media, message: string): Refusal {
  return new Refusal('MEDIA_NOT_ACCEPTED', { message, details: { mime_type, file_size, kinds: kindsOf(mime_type) } })
}
