/**
 * Knowledge of projects, for operators. Changes are commands of the project's actor, the only writer of the tree, as
 * those of the public API are.
 */
import * as v from 'valibot'
import {
  exampleIds,
  knowledgeNodeRecord,
  named,
  type OperatorCommand,
  toKnowledgeNodeRecord,
  toListedKnowledgeNode,
} from '../../actors/mod.ts'
import { Refusal } from '../../runtime/mod.ts'
import {
  findKnowledgeNode,
  KnowledgeNode,
  listKnowledgeNodes,
  Project,
  queueAll,
  readIndexState,
  readKnowledgeTree,
  findRecord as readRecord,
  searchKnowledge,
} from '../../storage/mod.ts'
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
} from '../routes/knowledge/fields.ts'
import { mustKnow } from '../routes/knowledge/knowledge.ts'
import type { RequestContext } from '../server/route/route.ts'
import { countedPage } from '../server/schema/fields.ts'
import { flag, listOf, objectId, paging } from './fields.ts'
import { operate } from './operate.ts'
import { operatorRoute } from './operator_route.ts'
import { findRecord } from './records.ts'

const project_id = objectId

const record = named('OperatorKnowledgeNode', v.object({ project_id, ...knowledgeNodeRecord.entries }))

/** @throws {Refusal} NOT_FOUND when the id is malformed, unknown, or that of a deleted node */
async function projectOf({ database }: RequestContext, id: string | undefined): Promise<string> {
  const { project_id, is_active } = await findRecord(database, KnowledgeNode, id)
  if (!is_active) throw new Refusal('NOT_FOUND')
  return project_id
}

/** @throws {Refusal} PROJECT_NOT_FOUND */
async function mustExist({ database }: RequestContext, project_id: string): Promise<void> {
  const project = await readRecord(database, Project, project_id)
  if (!project) throw new Refusal('PROJECT_NOT_FOUND')
}

const nodeRoutes = [
  operatorRoute({
    method: 'POST',
    path: '/admin/v1/knowledge/nodes',
    operation: 'create_knowledge_node_of_project',
    example: { body: { project_id: exampleIds.project, type: 'folder', name: 'Help' } },
    summary: 'Create a folder or a document of a project',
    status: 201,
    body: v.pipe(v.strictObject({ project_id, ...newKnowledgeNode }), onlyInDocuments()),
    body_limit: DOCUMENT_BODY_LIMIT,
    response: record,
    versioned: versionOfNode,
    errors: ['PROJECT_NOT_FOUND', ...placeErrors, 'KNOWLEDGE_TREE_FULL'],
    async change({ body: { project_id, type: kind, ...fields } }, context) {
      const { body: node } = await operate(context, project_id, {
        type: 'create_knowledge_node',
        kind,
        ...fields,
      })
      return { project_id, ...node }
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/knowledge/nodes',
    operation: 'list_knowledge_nodes',
    summary: 'List knowledge nodes without their contents, newest first',
    status: 200,
    query: v.strictObject({
      ...paging,
      project_id: v.optional(project_id),
      parent_id: v.optional(objectId),
      type: v.optional(v.picklist(['folder', 'document'])),
      index_status: v.optional(v.picklist(['pending', 'indexed', 'failed'])),
    }),
    response: listOf(record),
    async read({ query: { limit, offset, ...filter } }, { database }) {
      const { data, total } = await listKnowledgeNodes(database, filter, { limit, offset })
      const nodes = data.map((node) => ({ project_id: node.project_id, ...toListedKnowledgeNode(node) }))
      return countedPage(nodes, total, { limit, offset })
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/knowledge/nodes/:id',
    operation: 'get_knowledge_node_record',
    summary: 'Get a folder, or a document with its content',
    status: 200,
    response: record,
    versioned: versionOfNode,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
    async read({ params }, context) {
      const project_id = await projectOf(context, params.id)
      const node = await findKnowledgeNode(context.database, project_id, params.id)
      if (!node) throw new Refusal('NOT_FOUND')
      return { project_id, ...toKnowledgeNodeRecord(node) }
    },
  }),
  operatorRoute({
    method: 'PATCH',
    path: '/admin/v1/knowledge/nodes/:id',
    operation: 'update_knowledge_node_record',
    example: { body: { name: 'Help centre' } },
    summary: 'Change or move a knowledge node',
    status: 200,
    body: knowledgePatch,
    body_limit: DOCUMENT_BODY_LIMIT,
    response: record,
    versioned: versionOfNode,
    errors: [
      'NOT_FOUND',
      'PRECONDITION_FAILED',
      ...placeErrors,
      'KNOWLEDGE_NODE_BELOW_ITSELF',
      'KNOWLEDGE_NODE_NOT_DOCUMENT',
    ],
    async change({ params, body, if_match }, context) {
      const project_id = await projectOf(context, params.id)
      const patch = body as Extract<OperatorCommand, { type: 'update_knowledge_node' }>['patch']
      const { body: node } = await operate(context, project_id, {
        type: 'update_knowledge_node',
        id: params.id,
        if_match,
        patch,
      })
      return { project_id, ...node }
    },
  }),
  operatorRoute({
    method: 'DELETE',
    path: '/admin/v1/knowledge/nodes/:id',
    operation: 'delete_knowledge_node_record',
    summary: 'Delete a document, or a folder with all below it',
    status: 204,
    takes_if_match: true,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
    async change({ params, if_match }, context) {
      const project_id = await projectOf(context, params.id)
      await operate(context, project_id, { type: 'delete_knowledge_node', id: params.id, if_match })
    },
  }),
]

const indexState = v.object({
  folders: v.number(),
  documents: v.number(),
  pending: v.pipe(v.number(), v.description('Documents whose last change is not indexed yet')),
  failed: v.number(),
})

export const knowledgeAdminRoutes = [
  ...nodeRoutes,
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/knowledge/tree',
    operation: 'get_knowledge_tree_of_project',
    example: { query: { project_id: exampleIds.project } },
    summary: 'List the knowledge tree of a project by name, or the part of it below a folder',
    status: 200,
    query: v.strictObject({ project_id, ...treeQuery }),
    response: knowledgeTree,
    errors: ['NOT_FOUND', 'PROJECT_NOT_FOUND'],
    async read({ query: { project_id, parent_id = null, ...options } }, context) {
      await mustExist(context, project_id)
      const parent = parent_id && (await findKnowledgeNode(context.database, project_id, parent_id))
      if (parent_id !== null && !parent) throw new Refusal('NOT_FOUND')
      return readKnowledgeTree(context.database, project_id, { parent_id, ...options })
    },
  }),
  operatorRoute({
    method: 'POST',
    path: '/admin/v1/knowledge/search',
    operation: 'search_knowledge_of_project',
    example: { body: { project_id: exampleIds.project, query: 'return an order' } },
    summary: 'Search the documents of a project, best match first',
    status: 200,
    body: v.strictObject({ project_id, ...knowledgeQuery }),
    response: knowledgeHits,
    errors: ['PROJECT_NOT_FOUND', 'KNOWLEDGE_NODE_NOT_FOUND'],
    async read({ body: { project_id, ...search } }, context) {
      await mustExist(context, project_id)
      await mustKnow(context.database, project_id, search.node_ids)
      return { data: await searchKnowledge(context.database, project_id, search) }
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/knowledge/index',
    operation: 'get_knowledge_index',
    example: { query: { project_id: exampleIds.project } },
    summary: 'Get the number of documents of a project that are indexed, waiting and failed',
    status: 200,
    query: v.strictObject({ project_id }),
    response: indexState,
    errors: ['PROJECT_NOT_FOUND'],
    async read({ query: { project_id } }, context) {
      await mustExist(context, project_id)
      return readIndexState(context.database, project_id)
    },
  }),
  operatorRoute({
    method: 'POST',
    path: '/admin/v1/knowledge/reindex',
    operation: 'reindex_knowledge',
    example: { body: { project_id: exampleIds.project, only_failed: true } },
    role: 'support',
    summary: 'Queue all documents of a project to be indexed again, or only those that failed',
    status: 202,
    body: v.strictObject({ project_id, only_failed: v.optional(flag, false) }),
    response: v.object({ queued: v.number() }),
    errors: ['PROJECT_NOT_FOUND'],
    async change({ body: { project_id, only_failed } }, context) {
      await mustExist(context, project_id)
      return { queued: await queueAll(context.database, project_id, { only_failed }) }
    },
  }),
]
