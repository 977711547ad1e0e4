export { type AuditFilter, type AuditRecord, findAudit, hasAudited, listAudit } from './audit.ts'
export {
  type AgentRecord,
  findAgent,
  findSession,
  findSignIn,
  type LiveSession,
  listAgentsAt,
  listSessionsOf,
  liveSessions,
} from './console_sessions.ts'
export { type ExpiringToken, listExpiringTokens } from './expiring_tokens.ts'
export { findIdentity, type Identity, listProjectIds, listProjects } from './identity.ts'
export { findOperator, type Operator, touchOperatorKey } from './operator_keys.ts'
export {
  findToken,
  findTokenByHash,
  findTokens,
  listLiveTokens,
  listTokens,
  listTokensOfUser,
  type TokenIdentity,
  type TokenState,
  tokenStatus,
} from './tokens.ts'
