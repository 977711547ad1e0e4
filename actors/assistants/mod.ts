export { type ContentItem, readPayload, renderContent } from './content.ts'
export { HttpAssistants } from './http_service.ts'
export { renderPrompt } from './prompt.ts'
export { type AssistantService, localAssistants, type RecordOwner, type ServiceRecord } from './service.ts'
