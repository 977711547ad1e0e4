import type { Database } from '../database/database.ts'
import type { EntityManager } from '../database/entity_manager.ts'
import {
  AgentTool,
  Assistant,
  AssistantBlock,
  AssistantDeployment,
  AssistantTool,
  Block,
  BlockVersion,
  type Company,
  CrmEventType,
  Customer,
  KnowledgeNode,
  Pipeline,
  PipelineStage,
  type Project,
  Tag,
  Token,
  User,
} from '../entities/mod.ts'
import { foundCompany } from './access/company.ts'
import { foundProject } from './access/project.ts'

/** A tenant with an agent, a token, the records of its CRM and an assistant. The pipeline becomes the default. */
export type DemoRecords = {
  company: Company
  project: Project
  agent: User
  token: Token
  tags: Tag[]
  event_types: CrmEventType[]
  customers: Customer[]
  pipeline: Pipeline
  stages: PipelineStage[]
  assistant: Assistant
  blocks: Block[]
  block_versions: BlockVersion[]
  assistant_blocks: AssistantBlock[]
  assistant_deployment: AssistantDeployment
  agent_tool: AgentTool
  assistant_tool: AssistantTool
  /** Folders before what is in them. The database numbers them. */
  knowledge: Omit<KnowledgeNode, 'number'>[]
}

/** The agent takes over the e-mail address of an earlier demo's agent, who gets `former_email`. */
export async function storeDemo(database: Database, records: DemoRecords, former_email: string): Promise<void> {
  const { company, project, agent, token, knowledge } = records
  await database.em().transactional(async (em) => {
    await foundCompany(em, company)
    await foundProject(em, project)
    await em.nativeUpdate(User, { email: agent.email }, { email: former_email })
    await em.insert(User, agent)
    await insertCrm(em, records)
    await insertAssistant(em, records)
    await em.insert(Token, token)
    await em.insertMany(KnowledgeNode, knowledge as KnowledgeNode[])
  })
}

async function insertCrm(em: EntityManager, records: DemoRecords): Promise<void> {
  const { tags, event_types, customers, pipeline, stages } = records
  await em.insertMany(Tag, tags)
  await em.insertMany(CrmEventType, event_types)
  await em.insertMany(Customer, customers)
  await em.nativeUpdate(Pipeline, { project_id: pipeline.project_id, is_default: true }, { is_default: false })
  await em.insert(Pipeline, pipeline)
  await em.insertMany(PipelineStage, stages)
}

async function insertAssistant(em: EntityManager, records: DemoRecords): Promise<void> {
  const { assistant, blocks, block_versions, assistant_blocks, assistant_deployment, agent_tool, assistant_tool } =
    records
  await em.insert(Assistant, assistant)
  await em.insertMany(Block, blocks)
  await em.insertMany(BlockVersion, block_versions)
  await em.insertMany(AssistantBlock, assistant_blocks)
  await em.insert(AssistantDeployment, assistant_deployment)
  await em.insert(AgentTool, agent_tool)
  await em.insert(AssistantTool, assistant_tool)
}
