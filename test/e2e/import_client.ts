/** Imports of documents as a client of the API makes and watches them. */
import { type Answer, eventually, type Json } from './client.ts'
import type { Tenant } from './fixture.ts'

/** Conversions yield to all other work, so on a busy machine they take minutes. */
const PATIENCE_MS = 300_000

export type ImportForm = { filename?: string; part_type?: string; parent_id?: string; name?: string; language?: string }

export async function importFile(
  tenant: Tenant,
  bytes: Buffer | string,
  { filename = 'file', part_type = '', ...texts }: ImportForm = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const form = new FormData()
  form.set('file', new File([new Uint8Array(Buffer.from(bytes as string))], filename, { type: part_type }))
  for (const [name, text] of Object.entries(texts)) form.set(name, text)
  const sent = new Response(form)
  const raw = Buffer.from(await sent.arrayBuffer())
  const all = { ...headers, 'content-type': sent.headers.get('content-type')! }
  return tenant.api('POST', 'knowledge/nodes/import', undefined, { raw, headers: all })
}

export const importUrl = (tenant: Tenant, source_url: string, fields: Json = {}): Promise<Answer> =>
  tenant.api('POST', 'knowledge/nodes/import-url', { source_url, ...fields })

export const importOf = async (tenant: Tenant, id: string): Promise<Json> =>
  (await tenant.api('GET', `knowledge/nodes/${id}/import`)).body

/** Resolves to the import once it has ended. */
export const ended = (tenant: Tenant, id: string): Promise<Json> =>
  eventually(
    `the import of ${id} has ended`,
    async () => {
      const found = await importOf(tenant, id)
      return (found.status === 'done' || found.status === 'failed') && found
    },
    PATIENCE_MS,
  )

export const nodeOf = async (tenant: Tenant, id: string): Promise<Json> =>
  (await tenant.api('GET', `knowledge/nodes/${id}`)).body
