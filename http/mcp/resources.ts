/**
 * The documents of the knowledge as resources: `parley://knowledge/{id}`. They are read through the operations of the
 * API, so the scope of the token decides.
 */
import {
  type ListResourcesResult,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server'
import { treeCursor, treePlaceOf } from '../../storage/mod.ts'
import { invalidParams } from './protocol_error.ts'

const PAGE = 50
/** Maximum reads of folders for one page; a tree of empty folders would take any number. */
const MAX_READS = 20
const MAX_DEPTH = 32

const URI = /^parley:\/\/knowledge\/([\da-f]{24})$/i

export const RESOURCE_TEMPLATES = [
  {
    name: 'knowledge_document',
    title: 'Knowledge document',
    uriTemplate: 'parley://knowledge/{id}',
    description: 'The text of a document of the knowledge. search_knowledge and resources/list give ids.',
    mimeType: 'text/markdown',
  },
]

/** Calls an operation. The body is undefined for an error. */
export type Read = (
  operation: string,
  sent: Record<string, unknown>,
) => Promise<{ body: Record<string, unknown> } | { code: string; message: string }>

/** A folder on the way from the top, and the `cursor` after its child that was listed last. */
type Place = [folder: string | null, after: string | null]
type Node = { _id: string; type: string; name: string; updated_at: string }

/**
 * One page of documents: the tree in the order of names, folders where they stand. The cursor is the way to the last
 * document, so documents that are added or removed meanwhile shift nothing.
 * @throws {ProtocolError} for a malformed cursor
 */
export async function listDocuments(cursor: string | undefined, read: Read): Promise<ListResourcesResult> {
  const way: Place[] = cursor === undefined ? [[null, null]] : wayOf(cursor)
  const resources: Resource[] = []
  for (let reads = 0; way.length > 0; reads++) {
    if (resources.length >= PAGE || reads >= MAX_READS) return { resources, nextCursor: cursorOf(way) }
    const place = way.at(-1)!
    const [folder, after] = place
    const limit = String(PAGE - resources.length)
    const page = await read('get_knowledge_tree', {
      depth: '1',
      limit,
      ...(folder !== null && { parent_id: folder }),
      ...(after !== null && { cursor: after }),
    })
    // A token without the scope sees no documents; a folder that is gone has none.
    if ('code' in page) {
      if (page.code === 'INSUFFICIENT_SCOPE') return { resources: [] }
      if (page.code !== 'NOT_FOUND') throw invalidParams(page.message)
      way.pop()
      continue
    }
    const nodes = page.body.data as Node[]
    let entered = false
    for (const node of nodes) {
      place[1] = treeCursor(node)
      if (node.type === 'folder') {
        way.push([node._id, null])
        entered = true
        break
      }
      resources.push(resourceOf(node))
    }
    if (!entered && page.body.next_cursor === null) way.pop()
  }
  return { resources }
}

/** @throws {ResourceNotFoundError} also where the token may not read it */
export async function readDocument(uri: string, read: Read): Promise<ReadResourceResult> {
  const [, id] = URI.exec(uri) ?? []
  if (id === undefined) throw new ResourceNotFoundError(uri)
  const found = await read('get_knowledge_node', { id })
  if ('code' in found) throw new ResourceNotFoundError(uri, found.message)
  const { type, content } = found.body
  if (type !== 'document') throw new ResourceNotFoundError(uri)
  return { contents: [{ uri, mimeType: 'text/markdown', text: (content as string | null) ?? '' }] }
}

function resourceOf({ _id, name, updated_at }: Node): Resource {
  return {
    uri: `parley://knowledge/${_id}`,
    name,
    mimeType: 'text/markdown',
    annotations: { lastModified: updated_at },
  }
}

function cursorOf(way: Place[]): string {
  return Buffer.from(JSON.stringify(way)).toString('base64url')
}

function wayOf(cursor: string): Place[] {
  try {
    const way = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown
    if (isWay(way)) return way
  } catch {}
  throw invalidParams('The cursor is not one that a page ended with.')
}

function isWay(value: unknown): value is Place[] {
  const isId = (id: unknown) => id === null || (typeof id === 'string' && /^[\da-f]{24}$/.test(id))
  const isAfter = (after: unknown) => after === null || (typeof after === 'string' && treePlaceOf(after) !== undefined)
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_DEPTH) return false
  return value.every((place) => Array.isArray(place) && place.length === 2 && isId(place[0]) && isAfter(place[1]))
}
