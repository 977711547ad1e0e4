/** An image as one file, in the layout of the Open Container Initiative and, beside it, in the one of `docker save`. */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type Entries, file, tarOf } from './tar.ts'

export type ImageSettings = {
  /** As the user of the image names it: `parley:1.0.0`. */
  name: string
  /** From the bottom to the top: what changes seldom comes first, so that an upgrade transfers little. */
  layers: { says: string; entries: Entries }[]
  /** `config` of the image's settings: user, environment, command. */
  config: Record<string, unknown>
  labels: Record<string, string>
  /** Seconds since 1970, of the image and of all files. */
  time: number
  arch: string
}

export type Image = { archive: Buffer; digest: string; compressed: number; unpacked: number }

type Blob = { mediaType: string; digest: string; size: number }

const KIND = 'application/vnd.oci.image'
/** Names of `process.arch` in images. */
const ARCHITECTURES: Record<string, string> = { x64: 'amd64', arm64: 'arm64' }

export async function imageOf({ name, layers, config, labels, time, arch }: ImageSettings): Promise<Image> {
  const archive: Entries = new Map()
  const add = (content: Buffer, kind: string): Blob => {
    const sum = sumOf(content)
    archive.set(`blobs/sha256/${sum}`, file(content))
    return { mediaType: `${KIND}.${kind}`, digest: `sha256:${sum}`, size: content.length }
  }
  const json = (value: unknown) => Buffer.from(JSON.stringify(value))
  const tars = layers.map(({ entries }) => tarOf(entries, time))
  const packed = await Promise.all(tars.map((tar) => promisify(gzip)(tar)))
  const blobs = packed.map((content) => add(content, 'layer.v1.tar+gzip'))
  const created = new Date(time * 1000).toISOString().replace('.000', '')
  const settings = add(
    json({
      created,
      architecture: ARCHITECTURES[arch] ?? arch,
      os: 'linux',
      config: { ...config, Labels: labels },
      rootfs: { type: 'layers', diff_ids: tars.map((tar) => `sha256:${sumOf(tar)}`) },
      history: layers.map(({ says }) => ({ created, created_by: says })),
    }),
    'config.v1+json',
  )
  const manifest = add(
    json({
      schemaVersion: 2,
      mediaType: `${KIND}.manifest.v1+json`,
      config: settings,
      layers: blobs,
      annotations: labels,
    }),
    'manifest.v1+json',
  )
  const tag = name.slice(name.indexOf(':') + 1)
  const annotations = {
    'io.containerd.image.name': `docker.io/library/${name}`,
    'org.opencontainers.image.ref.name': tag,
  }
  archive.set('oci-layout', file(json({ imageLayoutVersion: '1.0.0' })))
  archive.set(
    'index.json',
    file(json({ schemaVersion: 2, mediaType: `${KIND}.index.v1+json`, manifests: [{ ...manifest, annotations }] })),
  )
  const pathOf = ({ digest }: Blob) => `blobs/${digest.replace(':', '/')}`
  archive.set('manifest.json', file(json([{ Config: pathOf(settings), RepoTags: [name], Layers: blobs.map(pathOf) }])))
  const total = (parts: Buffer[]) => parts.reduce((sum, { length }) => sum + length, 0)
  return { archive: tarOf(archive, time), digest: manifest.digest, compressed: total(packed), unpacked: total(tars) }
}

export function sumOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}
