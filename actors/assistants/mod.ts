export type { AnswerQuestion, AnswerVerdict, RepairReason } from './answer/answer.ts'
export { type ContentItem, readPayload, renderContent } from './content.ts'
export { HttpAssistants } from './http_service.ts'
export { renderPrompt } from './prompt.ts'
export type { Question, QuestionFile, UnreadableFile } from './question/question.ts'
export { type AssistantService, localAssistants, type RecordOwner, type ServiceRecord } from './service.ts'
export type {
  CheckAnswer,
  HandOverWords,
  IsAutomaticMail,
  LooksLikeBot,
  MayCall,
  QuestionOptions,
  ReadQuestion,
  RunTool,
} from './signatures.ts'
export type {
  AgentToolOffer,
  Binding,
  BoundPerson,
  CommandEnd,
  HandOver,
  Source,
  ToolCommand,
  ToolContext,
  ToolEffect,
  ToolResult,
} from './tools/tool.ts'
