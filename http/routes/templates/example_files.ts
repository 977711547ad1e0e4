/** Files of the project as examples of headers: found and judged all together, then uploaded to the provider. */
import {
  EXAMPLE_FILES,
  type FileFormat,
  type FileToUpload,
  kindsOf,
  type WhatsAppTemplates,
  withExamples,
} from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import { isObjectId } from '../../../storage/mod.ts'
import { findKept, type Kept, type MediaStores, type Where } from '../../media/media_store.ts'
import { type CloudChannel, throwFailure } from '../cloud_channel.ts'
import { askProvider } from '../media/work.ts'

type Components = Record<string, unknown>[]
type Examples = Record<string, string>

/** The services that submit a template with its files. */
export type TemplateWork = { templates: WhatsAppTemplates; media: MediaStores }

/**
 * The components with their examples. Each `media_id` of ours as the example of a header becomes a handle of the provider;
 * other texts are handles already. A file that several cards show is uploaded once. Nothing is uploaded when one is refused.
 *
 * @throws {Refusal} MEDIA_NOT_FOUND, MEDIA_NOT_ACCEPTED, and as `throwFailure`
 */
export async function exemplified(
  { templates, media }: TemplateWork,
  where: Where,
  { channel, credentials }: CloudChannel,
  { components, examples }: { components: Components; examples: Examples },
  deadline: number,
): Promise<Components> {
  const samples = withExamples(components, examples).files.filter(({ name }) => isObjectId(examples[name] ?? ''))
  const files = new Map<string, FileToUpload>()
  for (const { name, format } of samples) {
    const media_id = examples[name]!
    const file = files.get(media_id) ?? (await findFile(media, where, channel._id, media_id, deadline))
    refuseUnfit(name, format, media_id, file)
    files.set(media_id, file)
  }
  const uploaded = await templates.upload(credentials, [...files.values()], deadline)
  if ('failure' in uploaded) throwFailure(uploaded.failure)
  const handles = new Map([...files.keys()].map((media_id, at) => [media_id, uploaded.handles[at]!]))
  const handled = Object.fromEntries(samples.map(({ name }) => [name, handles.get(examples[name]!)!]))
  return withExamples(components, { ...examples, ...handled }).components
}

/** @throws {Refusal} MEDIA_NOT_FOUND, and as `throwFailure` */
async function findFile(
  media: MediaStores,
  where: Where,
  channel_id: string,
  media_id: string,
  deadline: number,
): Promise<FileToUpload> {
  try {
    const kept = await findKept(media, where, media_id, channel_id)
    return kept.by === 'us' ? keptHere(media, kept) : await keptThere(kept, deadline)
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'NOT_FOUND') throw error
    throw notFound(media_id)
  }
}

function keptHere({ blobs }: MediaStores, { row }: Extract<Kept, { by: 'us' }>): FileToUpload {
  const { media_id, mime_type, file_size, filename } = row
  const open = async () => {
    const found = await blobs.get(row.blob_key!)
    if (!found) throw notFound(media_id)
    return found.stream
  }
  return { filename: filename ?? media_id, mime_type, file_size, open }
}

async function keptThere(kept: Extract<Kept, { by: 'provider' }>, deadline: number): Promise<FileToUpload> {
  const { row, media_store, provider_media_id } = kept
  const file = await askProvider(kept, deadline)
  const open = async () => {
    const begun = await media_store.provider.download(media_store.credentials, file, deadline)
    if ('failure' in begun) throwFailure(begun.failure)
    return begun.stream
  }
  const { mime_type, file_size } = file
  return { filename: row?.filename ?? provider_media_id, mime_type: row?.mime_type ?? mime_type, file_size, open }
}

const notFound = (media_id: string) => new Refusal('MEDIA_NOT_FOUND', { details: { media_id } })

/** @throws {Refusal} MEDIA_NOT_ACCEPTED */
function refuseUnfit(name: string, format: FileFormat, media_id: string, { mime_type, file_size }: FileToUpload): void {
  const accepted = EXAMPLE_FILES[format]
  if (accepted.some((one) => one.mime_type === mime_type && file_size > 0 && file_size <= one.max_bytes)) return
  const [{ max_bytes }] = accepted
  const types = accepted.map((one) => one.mime_type).join(' or ')
  const message = `The example ${name} must be ${types} of 1 to ${max_bytes} bytes; the file is ${mime_type} of ${file_size}.`
  throw new Refusal('MEDIA_NOT_ACCEPTED', {
    message,
    details: { media_id, mime_type, file_size, kinds: kindsOf(mime_type), accepted },
  })
}
