export {
  type AgentToolFilter,
  countAgentTools,
  findAgentTool,
  listAgentToolCalls,
  listAgentTools,
  listToolHolders,
  type ToolHolder,
} from './agent_tools.ts'
export { countAnswers } from './answer_counts.ts'
export {
  type AssistantCatalogue,
  type CatalogueKeys,
  emptyCatalogue,
  readCatalogue,
} from './assistant_catalogue.ts'
export {
  type AssistantFilter,
  type AssistantView,
  findAssistant,
  listAssistants,
  readAssistantViews,
} from './assistants.ts'
export {
  type AttachedBlock,
  type BlockFilter,
  findBlock,
  findVersion,
  listBlocks,
  listVersions,
  pageBlocks,
  readAttached,
  readPromptVersions,
} from './blocks.ts'
export {
  areFilesComing,
  type ContactPeople,
  type ConversationFacts,
  type ConversationPeople,
  findAssistantConversation,
  readContactPeople,
  readConversationFacts,
  readConversationPeople,
  readFilesHere,
  readTranscript,
  type SaidMessage,
} from './conversation_reads.ts'
export { listDeployments, readDeploymentsOf } from './deployments.ts'
export { sumTurns, type TurnFigures } from './figures.ts'
export {
  type AssistantSettings,
  findAssistantSettings,
  findHeldConversation,
  type HeldConversation,
} from './held.ts'
export {
  countUnfinishedTestRuns,
  findTestRun,
  listTestResults,
  listTestRuns,
  readTestCase,
  readTestRuns,
  readTestRunsBeyond,
  readUnfinishedTestRuns,
  type TestRunRow,
  type UnfinishedTestRun,
} from './test_runs.ts'
export {
  countTestSets,
  findTestSet,
  listTestSets,
  readTestSets,
  type TestSetSummary,
} from './test_sets.ts'
export {
  type KnowledgePassage,
  type OwnEvent,
  readOfferedTools,
  readOwnEvents,
  readOwnOrders,
  readPassages,
  readToolFacts,
  type ToolFacts,
} from './tool_reads.ts'
export { type AssistantTurnSummary, findTurn, listTurns, readTurnsOfTicket, type ShownTurn } from './turns.ts'
