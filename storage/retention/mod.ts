export { forgetAnswers, forgetEarlyStatuses } from './answers.ts'
export { type AuditOf, eraseAudit, forgetAudit } from './audit.ts'
export { keepDayTables } from './day_tables.ts'
export { type ConfiguredDays, type RetentionName, retentionNames } from './kinds.ts'
export {
  forgetAgentRecords,
  forgetAgentToolCalls,
  forgetDeadLetters,
  forgetKnowledge,
  forgetMails,
  forgetTestRuns,
} from './leftovers.ts'
export { changeRetention, type RetentionChanges, type RetentionSetting, readRetention } from './settings.ts'
export { maxDays, sweepRetention } from './sweep.ts'
