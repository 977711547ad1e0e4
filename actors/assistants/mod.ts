export type { AnswerQuestion, AnswerVerdict } from './answer/answer.ts'
export { AnswerDraft } from './answer/answer_draft.ts'
export { checkAnswer } from './answer/check_answer.ts'
export { type Exchanged, isAutomaticMail, looksLikeBot } from './automatic_mail.ts'
export { type ContentItem, readPayload, renderContent } from './content.ts'
export { HttpAssistants } from './http_service.ts'
export { type Instructions, missingBlock, readInstructions } from './instructions.ts'
export { Languages } from './language/languages.ts'
export { type MayCall, mayCall } from './may_call.ts'
export { type GivenMessage, readBoundPerson, type Subject } from './question/conversation.ts'
export { describeMessage } from './question/describe_message.ts'
export type { Question, QuestionFile, UnreadableFile } from './question/question.ts'
export { type QuestionOptions, readQuestion } from './question/read_question.ts'
export { isSaid } from './question/transcript.ts'
export { type AssistantService, localAssistants, type RecordOwner, type ServiceRecord } from './service.ts'
export { type ConversationSummary, summaryIn, summaryOfText, summaryQuestion } from './summary.ts'
export { runTool } from './tools/run_tool.ts'
export type {
  BoundPerson,
  CommandEnd,
  HandOver,
  Source,
  ToolCommand,
  ToolContext,
  ToolEffect,
  ToolResult,
  ToolsMode,
} from './tools/tool.ts'
export { modelNames } from './tools/tool_names.ts'
export { builtInNames } from './tools/tool_set.ts'
export type { Tried } from './tried.ts'
export { handOverWords } from './words/hand_over_words.ts'
