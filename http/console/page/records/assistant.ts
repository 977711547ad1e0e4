import type { AssistantDeployment } from '../../../client/generated/types.ts'
import type { AssistantOverview } from './generated.ts'

export type {
  AgentTool,
  Assistant,
  AssistantDeployment,
  AttachedBlock,
  Block,
  BlockVersion,
  BlockVersionSummary,
} from '../../../client/generated/types.ts'
export type { AssistantOverview } from './generated.ts'

/** The turns of an assistant since the day began. */
export type AssistantFigures = AssistantOverview['data'][number]

export type Answers = AssistantDeployment['answers']
