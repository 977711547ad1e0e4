/** Knowledge as a client works with it. */
import { eventually, type Json } from './client.ts'
import { made, type Tenant } from './fixture.ts'

export async function addFolder(tenant: Tenant, name: string, parent_id: string | null = null): Promise<string> {
  return (await made(tenant.api('POST', 'knowledge/nodes', { type: 'folder', name, parent_id })))._id
}

export async function addDocument(tenant: Tenant, name: string, content: string, fields: Json = {}): Promise<string> {
  return (await made(tenant.api('POST', 'knowledge/nodes', { type: 'document', name, content, ...fields })))._id
}

/** Resolves to the nodes once all of them are indexed. It waits for one after the other, so that a look is one request. */
export async function indexed(tenant: Tenant, ids: readonly string[]): Promise<Json[]> {
  const nodes: Json[] = []
  for (const id of ids) {
    const isIndexed = async () => {
      const { body } = await tenant.api('GET', `knowledge/nodes/${id}`)
      return body.index_status === 'indexed' && body
    }
    nodes.push(await eventually(`the document ${id} is indexed`, isIndexed))
  }
  return nodes
}

export async function search(tenant: Tenant, query: string, fields: Json = {}): Promise<Json[]> {
  return (await made(tenant.api('POST', 'knowledge/search', { query, ...fields }))).data
}

/** The names of the documents found, best first. */
export async function foundBy(tenant: Tenant, query: string, fields: Json = {}): Promise<string[]> {
  return (await search(tenant, query, fields)).map(({ name }) => name)
}
