/** The program of the confined process: reads one picture from its standard input, and writes its thumbnail or a failure. */
import sharp from 'sharp'
import { denyNetworkAndSignals } from '../confined/deny.ts'
import type { ThumbnailFailure, ThumbnailJob } from './make_thumbnail.ts'

/** Only the loaders of pictures that people send: each decoder is a way in. */
const LOADERS = ['Jpeg', 'Png', 'Webp', 'Nsgif'].map((kind) => `VipsForeignLoad${kind}Buffer`)

async function thumbnailOf(bytes: Buffer, { max_pixels, edge }: ThumbnailJob): Promise<Buffer | ThumbnailFailure> {
  let size: { width: number; height: number }
  try {
    size = await sharp(bytes, { failOn: 'none', limitInputPixels: false }).metadata()
  } catch {
    return { failure: 'unreadable' }
  }
  // Known from the header: nothing of a larger one is decoded.
  const { width, height } = size
  if (width * height > max_pixels) return { failure: 'too_many_pixels', width, height }
  try {
    const fit = { width: edge, height: edge, fit: 'inside', withoutEnlargement: true } as const
    // Browsers show a picture with small faults, and the beginning of one that breaks off, too.
    return await sharp(bytes, { failOn: 'none', limitInputPixels: max_pixels, sequentialRead: true })
      .autoOrient()
      .resize(fit)
      .webp({ quality: 75 })
      .toBuffer()
  } catch {
    return { failure: 'unreadable' }
  }
}

sharp.cache(false)
sharp.concurrency(1)
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: LOADERS })
denyNetworkAndSignals()
const job = JSON.parse(process.argv[2]!) as ThumbnailJob
const chunks: Buffer[] = []
for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
const made = await thumbnailOf(Buffer.concat(chunks.splice(0)), job)
process.stdout.write(Buffer.isBuffer(made) ? made : JSON.stringify(made))
