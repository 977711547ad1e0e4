export {
  type AgentToolCallRecord,
  type AgentToolFilter,
  type AgentToolRecord,
  countAgentTools,
  findAgentTool,
  listAgentToolCalls,
  listAgentTools,
  listToolHolders,
  REDACTED,
  type ToolHolder,
  toAgentToolCallRecord,
  toAgentToolRecord,
} from './agent_tools.ts'
export {
  type AssistantCatalogue,
  type CatalogueWants,
  emptyCatalogue,
  readCatalogue,
} from './assistant_catalogue.ts'
export {
  type AssistantFilter,
  type AssistantRecord,
  findAssistant,
  listAssistants,
  showAssistants,
  toAssistantRecord,
} from './assistants.ts'
export {
  type AttachedRecord,
  type BlockFilter,
  type BlockRecord,
  type BlockVersionRecord,
  findBlock,
  findVersion,
  listBlocks,
  listVersions,
  pageBlocks,
  readAttached,
  readCurrentVersions,
  toBlockRecord,
  toVersionRecord,
} from './blocks.ts'
