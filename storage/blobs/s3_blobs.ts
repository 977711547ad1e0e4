/** Blobs as objects in a bucket of Amazon S3 or of a compatible service. */
import { createHash, randomBytes } from 'node:crypto'
import { pipeline, type Readable } from 'node:stream'
import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3'
import { type BlobStore, type ByteRange, checkKey, type StoredBlob } from './blob_store.ts'
import { Meter } from './meter.ts'

export type S3Place = {
  bucket: string
  /** Prefix of each key, without slashes at its ends; may be empty. */
  prefix: string
  region: string
  endpoint: string
  /** Undefined: the default sources of Amazon's libraries (environment, profile, role of the machine). */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined
}

type Libraries = typeof import('@aws-sdk/client-s3') & typeof import('@aws-sdk/lib-storage')

/** Minimum size of a part in S3. Parts are sent one at a time, so an upload holds this much in memory. */
const PART_BYTES = 5 * 1024 * 1024

/** Loads Amazon's libraries on demand, because other stores do not need them. */
export async function openS3Blobs(place: S3Place): Promise<BlobStore> {
  const [s3, storage] = await Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')])
  return new S3Blobs({ ...s3, ...storage }, place)
}

class S3Blobs implements BlobStore {
  readonly #libraries: Libraries
  readonly #client: S3Client
  readonly #place: S3Place

  constructor(libraries: Libraries, place: S3Place) {
    this.#libraries = libraries
    this.#place = place
    const config: S3ClientConfig = {
      region: place.region,
      // Path-style addresses work with every service, whatever its names and certificates are.
      forcePathStyle: true,
      // The default sends checksums in trailers, which few services other than Amazon's support.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      endpoint: place.endpoint,
      ...(place.credentials && { credentials: place.credentials }),
    }
    this.#client = new libraries.S3Client(config)
  }

  async identity(): Promise<string> {
    const { endpoint, bucket, prefix } = this.#place
    const place = JSON.stringify([endpoint, bucket, prefix])
    return `s3:${createHash('sha256').update(place).digest('hex').slice(0, 16)}`
  }

  async put(key: string, stream: Readable): Promise<StoredBlob> {
    const target = this.#object(key)
    const meter = new Meter()
    let broken: Error | undefined
    const body = pipeline(stream, meter, (error) => {
      broken = error ?? undefined
    })
    const upload = new this.#libraries.Upload({
      client: this.#client,
      params: { ...target, Body: body },
      partSize: PART_BYTES,
      queueSize: 1,
    })
    try {
      await upload.done()
    } catch (error) {
      stream.destroy()
      throw broken ?? error
    }
    return meter.result()
  }

  async get(key: string, range?: ByteRange) {
    const asked = { ...this.#object(key), ...(range && { Range: `bytes=${range.start}-${range.end}` }) }
    try {
      const found = await this.#client.send(new this.#libraries.GetObjectCommand(asked))
      const size = range ? Number(found.ContentRange?.split('/')[1]) : Number(found.ContentLength)
      return { stream: found.Body as Readable, size }
    } catch (error) {
      if ((error as Error).name === 'NoSuchKey') return undefined
      throw error
    }
  }

  async remove(key: string): Promise<void> {
    await this.#client.send(new this.#libraries.DeleteObjectCommand(this.#object(key)))
  }

  async check(): Promise<void> {
    const target = this.#object(`check-${randomBytes(6).toString('hex')}`)
    await this.#client.send(new this.#libraries.PutObjectCommand({ ...target, Body: '.' }))
    await this.#client.send(new this.#libraries.DeleteObjectCommand(target))
  }

  async close(): Promise<void> {
    this.#client.destroy()
  }

  #object(key: string) {
    checkKey(key)
    const { bucket, prefix } = this.#place
    return { Bucket: bucket, Key: prefix ? `${prefix}/${key}` : key }
  }
}
