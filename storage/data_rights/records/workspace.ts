/** Parts of a project: its accounts, definitions, assistants and knowledge, without secrets. */
import {
  AgentTool,
  AgentToolCall,
  Assistant,
  AssistantBlock,
  AssistantDeployment,
  AssistantTestResult,
  AssistantTestRun,
  AssistantTestSet,
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
import { counted, placesOf, type RecordKind } from '../record_kind.ts'
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

/** Rows of a test that has cases of these people. */
const ofContacts: RecordKind['person'] = ({ contacts }) => sql`chat_users && ${contacts}`

/** A run has up to 4,000 results, which go with it. */
const RUNS = 5

const fewRuns: RecordKind['erase'] = (em, where) =>
  counted(
    em,
    sql`with gone as (delete from assistant_test_run where ${placesOf('assistant_test_run', where, RUNS)} returning 1)
    select count(*)::int as count from gone`,
  )

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
  own('assistant_test_set', AssistantTestSet),
  {
    type: 'assistant_test_case',
    table: 'assistant_test_set',
    person: ofContacts,
    // The other cases stay.
    erase: (em, where, { subject: { contacts } }) => {
      const others = sql`json_array_elements(cases) with ordinality listed (one, number)
        where coalesce(one->>'chat_user' <> all (${contacts}), true)`
      return counted(
        em,
        sql`with gone as (
          update assistant_test_set set
            cases = (select coalesce(json_agg(one order by number), '[]') from ${others}),
            case_count = (select count(*) from ${others}),
            chat_users = array(select unnest(chat_users) except select unnest(${contacts}))
          where ${placesOf('assistant_test_set', where)} returning 1
        ) select count(*)::int as count from gone`,
      )
    },
  },
  // Two of a type: a run goes as a whole, and a person's export has its own results alone.
  { ...own('assistant_test_run', AssistantTestRun), erase: fewRuns },
  { type: 'assistant_test_run', table: 'assistant_test_run', person: ofContacts, erase: fewRuns },
  {
    ...own('assistant_test_result', AssistantTestResult),
    person: ({ contacts }) => sql`chat_user = any (${contacts})`,
  },
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
