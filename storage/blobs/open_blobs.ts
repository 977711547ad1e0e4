import { fileURLToPath } from 'node:url'
import type { BlobStore } from './blob_store.ts'
import { FileBlobs } from './file_blobs.ts'
import { openS3Blobs, type S3Place } from './s3_blobs.ts'

/**
 * Opens the store of a URL: `file:///directory` or
 * `s3://[key:secret@]host/bucket[/prefix][?region=…&endpoint=http://…]`. The host is reached over https; an endpoint
 * replaces the host and sets the protocol. Without a key Amazon's libraries look for one. Throws a TypeError for any
 * other URL.
 */
export async function openBlobs(url: string): Promise<BlobStore> {
  const place = placeOf(url)
  return 'directory' in place ? new FileBlobs(place.directory) : openS3Blobs(place)
}

function placeOf(text: string): { directory: string } | S3Place {
  const url = new URL(text)
  if (url.protocol === 'file:') return { directory: fileURLToPath(url) }
  const [bucket, ...prefix] = url.pathname.split('/').filter(Boolean).map(decodeURIComponent)
  if (url.protocol !== 's3:' || !url.host || !bucket)
    throw new TypeError('a blob store is file:///directory or s3://host/bucket')
  const { username, password, host, searchParams } = url
  return {
    bucket,
    prefix: prefix.join('/'),
    region: searchParams.get('region') ?? 'us-east-1',
    endpoint: searchParams.get('endpoint') ?? `https://${host}`,
    credentials: username
      ? { accessKeyId: decodeURIComponent(username), secretAccessKey: decodeURIComponent(password) }
      : undefined,
  }
}
