/** Knowledge: a tree of folders and documents, and the search in it. */
import * as v from 'valibot'
import { knowledgeNodeRecord, plainIdPattern, toKnowledgeNodeRecord } from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import {
  type Database,
  findKnowledgeNode,
  readKnowledgeTree,
  searchKnowledge,
  unknownNodes,
} from '../../../storage/mod.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import {
  DOCUMENT_BODY_LIMIT,
  knowledgeHits,
  knowledgePatch,
  knowledgeQuery,
  knowledgeTree,
  newKnowledgeNode,
  onlyInDocuments,
  placeErrors,
  treeQuery,
  versionOfNode,
} from './fields.ts'

export const knowledgeRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/v1/knowledge/nodes',
    versioned: versionOfNode,
    operation: 'create_knowledge_node',
    example: { body: { type: 'document', name: 'Returns', content: 'Orders can be returned within 30 days.' } },
    audited: true,
    summary: 'Create a folder or a document; a document is found as soon as it is indexed',
    auth: 'token',
    scope: 'knowledge:write',
    body: v.pipe(v.strictObject(newKnowledgeNode), onlyInDocuments()),
    body_limit: DOCUMENT_BODY_LIMIT,
    status: 201,
    response: knowledgeNodeRecord,
    errors: [...placeErrors, 'KNOWLEDGE_TREE_FULL'],
    command: ({ body: { type: kind, ...fields } }) => ({ type: 'create_knowledge_node', kind, ...fields }),
  }),
  route({
    method: 'GET',
    path: '/v1/knowledge/tree',
    operation: 'get_knowledge_tree',
    summary: 'List the tree by name, or the part of it below a folder; contents are left out',
    auth: 'token',
    scope: 'knowledge:read',
    query: v.strictObject(treeQuery),
    status: 200,
    response: knowledgeTree,
    errors: ['NOT_FOUND'],
    async read({ query: { parent_id = null, ...options } }, { database, project_id }) {
      const parent = parent_id && (await findKnowledgeNode(database, project_id, parent_id))
      if (parent_id !== null && !parent) throw new Refusal('NOT_FOUND')
      return readKnowledgeTree(database, project_id, { parent_id, ...options })
    },
  }),
  route({
    method: 'POST',
    path: '/v1/knowledge/search',
    operation: 'search_knowledge',
    example: { body: { query: 'return an order', limit: 5 } },
    summary: 'Search documents, best match first; typing errors and unfinished words are understood',
    auth: 'token',
    scope: 'knowledge:read',
    body: v.strictObject(knowledgeQuery),
    status: 200,
    response: knowledgeHits,
    errors: ['KNOWLEDGE_NODE_NOT_FOUND'],
    async read({ body }, { database, project_id }) {
      await mustKnow(database, project_id, body.node_ids)
      return { data: await searchKnowledge(database, project_id, body) }
    },
  }),
  route({
    method: 'GET',
    path: '/v1/knowledge/nodes/:id',
    operation: 'get_knowledge_node',
    summary: 'Get a folder, or a document with its content; its version is the ETag of the answer',
    auth: 'token',
    scope: 'knowledge:read',
    params: { id: plainIdPattern },
    status: 200,
    response: knowledgeNodeRecord,
    versioned: versionOfNode,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
    async read({ params }, { database, project_id }) {
      const found = await findKnowledgeNode(database, project_id, params.id)
      if (!found) throw new Refusal('NOT_FOUND')
      return toKnowledgeNodeRecord(found)
    },
  }),
  route({
    method: 'PATCH',
    path: '/v1/knowledge/nodes/:id',
    operation: 'update_knowledge_node',
    example: { body: { content: 'Orders can be returned within 60 days.' } },
    audited: true,
    summary: 'Change or move a node, with If-Match only in that version; a document with another text is indexed again',
    auth: 'token',
    scope: 'knowledge:write',
    params: { id: plainIdPattern },
    body: knowledgePatch,
    body_limit: DOCUMENT_BODY_LIMIT,
    status: 200,
    response: knowledgeNodeRecord,
    versioned: versionOfNode,
    errors: [
      'NOT_FOUND',
      'PRECONDITION_FAILED',
      ...placeErrors,
      'KNOWLEDGE_NODE_BELOW_ITSELF',
      'KNOWLEDGE_NODE_NOT_DOCUMENT',
    ],
    command: ({ params, body, if_match }) => ({
      type: 'update_knowledge_node',
      id: params.id,
      if_match,
      patch: body,
    }),
  }),
  route({
    method: 'DELETE',
    path: '/v1/knowledge/nodes/:id',
    operation: 'delete_knowledge_node',
    audited: true,
    summary: 'Delete a document, or a folder with all below it; they are found no more from the answer on',
    auth: 'token',
    scope: 'knowledge:delete',
    params: { id: plainIdPattern },
    status: 204,
    takes_if_match: true,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
    command: ({ params, if_match }) => ({ type: 'delete_knowledge_node', id: params.id, if_match }),
  }),
]

/**
 * Deleted nodes pass, since what refers to them keeps their ids.
 * @throws {Refusal} KNOWLEDGE_NODE_NOT_FOUND
 */
export async function mustKnow(database: Database, project_id: string, node_ids: string[] | undefined): Promise<void> {
  const unknown = node_ids ? await unknownNodes(database, project_id, node_ids) : []
  if (unknown.length > 0) throw new Refusal('KNOWLEDGE_NODE_NOT_FOUND', { details: { node_ids: unknown } })
}
