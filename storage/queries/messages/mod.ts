export {
  type BroadcastFilter,
  countUnfinished,
  findBroadcast,
  type ListedRecipient,
  listBroadcasts,
  listPausedBroadcasts,
  listRecipients,
} from './broadcasts.ts'
export {
  cannedCursor,
  findCannedResponse,
  listCannedResponses,
  readShortcuts,
} from './canned_responses.ts'
export { findFlow, listFlows } from './flows.ts'
export { findHistoryImport, nextHistoryParts, readWaitingImports } from './history_imports.ts'
export { findLinkedMedia, findMedia, findProviderMedia, findReceivedMedia, readMedia } from './media.ts'
export { dropOldFetches, readDueFetches, readFetches } from './media_fetches.ts'
export {
  type ChatPlace,
  findMessage,
  findReference,
  findWaiting,
  latestPlaces,
  listEditsOf,
  listMessages,
  listReceivedFrom,
  listUnreadBy,
  type MessageFilter,
  readLastReceived,
} from './messages.ts'
export { findTemplate, listTemplates, type TemplateFilter } from './templates.ts'
export { readUnreadByVisitors, type UnreadByVisitor, type UnreadMessage } from './unread_by_visitor.ts'
export { findUserPhoto, findVisitorAgent } from './visitor_agent.ts'
export {
  findReadByAgents,
  findTicketVisitor,
  findVisitorMessage,
  listVisitorMessages,
  readReplyTimes,
  type ShownMessage,
  type TicketVisitor,
} from './visitors.ts'
