/** Uploads and files as a client of the API makes and reads them. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Call } from '../e2e/client.ts'
import { makeTenant, type Tenant, type World } from '../e2e/fixture.ts'

export const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

export type Upload = {
  filename?: string
  part_type?: string
  type?: string
  phone_number_id?: string
  purpose?: string
}

/** Returns the body of an upload. */
export async function formOf(
  bytes: Buffer,
  { filename = 'file', part_type = '', ...texts }: Upload = {},
): Promise<Call> {
  const form = new FormData()
  form.set('file', new File([new Uint8Array(bytes)], filename, { type: part_type }))
  for (const [name, text] of Object.entries(texts)) form.set(name, text)
  return callOf(form)
}

export async function callOf(form: FormData): Promise<Call> {
  const sent = new Response(form)
  const raw = Buffer.from(await sent.arrayBuffer())
  return { raw, headers: { 'content-type': sent.headers.get('content-type')! } }
}

export async function upload(tenant: Tenant, bytes: Buffer, fields: Upload = {}, headers: Record<string, string> = {}) {
  const call = await formOf(bytes, fields)
  return tenant.api('POST', 'media/upload', undefined, { ...call, headers: { ...call.headers, ...headers } })
}

/** Makes a tenant whose files Parley keeps, because its number is switched off. */
export async function makeKeptTenant(world: World): Promise<Tenant> {
  const tenant = await makeTenant(world)
  const { status } = await world.operator('PATCH', `channels/${tenant.number.channel_id}`, { is_active: false })
  if (status !== 200) throw new Error(`the channel could not be switched off: ${status}`)
  return tenant
}

/** Returns everything that Parley has on its disk for files, including uploads under way. */
export function filesOf({ config }: World): string[] {
  return ['blobs', 'uploads'].flatMap((name) => {
    const directory = join(config.data_dir, name)
    if (!existsSync(directory)) return []
    const inside = readdirSync(directory, { recursive: true, withFileTypes: true })
    return (
      inside
        // The store's own id is no file of a client.
        .filter((entry) => entry.isFile() && entry.name !== 'store-id')
        .map((entry) => relative(config.data_dir, join(entry.parentPath, entry.name)))
    )
  })
}
