/** Parts of a project: its accounts, definitions, assistants and knowledge, without secrets. */
import {
  AgentTool,
  AgentToolCall,
  Assistant,
  AssistantBlock,
  AssistantDeployment,
  AssistantTool,
  Block,
  BlockVersion,
  CannedResponse,
  Channel,
  Flow,
  KnowledgeImport,
  KnowledgeNode,
  Pipeline,
  PipelineStage,
  Project,
  SavedView,
  Subscription,
  Tag,
  Template,
  Token,
  WebhookKey,
} from '../../entities/mod.ts'
import { lockIndex } from '../../knowledge/index_documents.ts'
import { sql } from '../../sql/sql.ts'
import { counted, type RecordKind } from '../record_kind.ts'
import { inProject } from './conditions.ts'

/** Documents deleted in one transaction; each has up to thousands of rows in the index. */
const DOCUMENTS = 20

const own = (type: string, entity: RecordKind['entity'], hidden?: readonly string[]): RecordKind => ({
  type,
  table: type,
  ...(entity && { entity }),
  ...(hidden && { hidden }),
  project: inProject,
})

export const workspaceKinds: RecordKind[] = [
  {
    type: 'project',
    table: 'project',
    entity: Project,
    project: ({ subject_id }) => sql`_id = ${subject_id}`,
    erase: false,
  },
  own('rate_window', undefined),
  own('retention', undefined),
  own('idempotency', undefined),
  own('token', Token, ['hash']),
  own('channel', Channel, ['credentials']),
  own('template', Template),
  own('flow', Flow),
  own('poll_group', undefined),
  {
    ...own('poll_acknowledgement', undefined),
    project: (subject) => sql`subscription_id in (select id from subscription where ${inProject(subject)})`,
  },
  own('subscription', Subscription, ['secret', 'previous_secret', 'headers']),
  own('webhook_key', WebhookKey, ['sealed']),
  own('pipeline', Pipeline),
  own('pipeline_stage', PipelineStage),
  own('tag', Tag),
  own('canned_response', CannedResponse),
  own('saved_view', SavedView),
  own('assistant', Assistant),
  own('block', Block),
  own('block_version', BlockVersion),
  own('assistant_block', AssistantBlock),
  own('agent_tool', AgentTool, ['headers']),
  own('assistant_tool', AssistantTool),
  own('assistant_deployment', AssistantDeployment),
  own('assistant_spending', undefined),
  own('agent_tool_call', AgentToolCall),
  own('knowledge_tree', undefined),
  own('knowledge_corpus', undefined),
  own('knowledge_term', undefined),
  own('knowledge_word', undefined),
  {
    ...own('knowledge_node', KnowledgeNode),
    async erase(em, where, { subject }) {
      await lockIndex(em, subject.subject_id)
      return counted(
        em,
        sql`with gone as materialized (select _id, number from knowledge_node where ${where} limit ${DOCUMENTS}),
        postings as (delete from knowledge_posting using gone where knowledge_posting.number = gone.number),
        queued as (delete from knowledge_reindex using gone where node_id = gone._id),
        nodes as (delete from knowledge_node node using gone where node._id = gone._id)
        select count(*)::int as count from gone`,
      )
    },
  },
  own('knowledge_reindex', undefined),
  own('knowledge_import', KnowledgeImport),
]
