/** Language models that run assistants: the port, and models behind an OpenAI-compatible API. */

export { costOf, decimalOf, isPrice, trillionthsOf } from './cost.ts'
export type { ModelEntry } from './entry.ts'
export { estimateText, estimateTokens } from './estimate.ts'
export { HttpModels } from './http_models.ts'
export type {
  CallOptions,
  ModelAnswer,
  ModelDescription,
  ModelFailure,
  ModelFailureCode,
  ModelFinish,
  ModelInput,
  ModelMessage,
  ModelPart,
  ModelPrice,
  ModelQuestion,
  ModelRecording,
  Models,
  ModelTool,
  ModelToolCall,
  ModelTranscript,
  ModelUsage,
} from './model.ts'
