export {
  beginSession,
  dropSessionsOver,
  endSession,
  endSessionsOf,
  isAgent,
  MAX_SESSION_S,
  OPERATOR_PERMISSION,
  renewSessions,
} from './console_sessions.ts'
export {
  dropVisitorSessionsOver,
  endedVisitorSessions,
  endVisitorSession,
  findVisitorSession,
  identifyVisitor,
  type KnownVisitor,
  keepVisitorSession,
  UNSTORED_S,
  type VisitorPlace,
} from './visitor_sessions.ts'
