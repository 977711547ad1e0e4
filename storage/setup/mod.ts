export { switchAgentTool } from './agent_tool.ts'
export { ChangeRefused, StillHeld } from './change_refused.ts'
export {
  type Credentials,
  changeChannel,
  credentialsOf,
  keepChannels,
  removeChannel,
  storeChannel,
} from './channel.ts'
export { changeCompany, removeCompany, storeCompany } from './company.ts'
export { changeCustomField, removeCustomField, storeCustomField } from './custom_field.ts'
export { changeCustomer, removeCustomer, storeCustomer } from './customer.ts'
export { removeExport } from './data_export.ts'
export { type DemoRecords, storeDemo } from './demo.ts'
export { changeEventType, removeEventType, storeEventType } from './event_type.ts'
export { joined } from './joined.ts'
export { removeMembership, removeProgram } from './loyalty.ts'
export { revokeOperatorKey, storeOperatorKey } from './operator_key.ts'
export { changePipeline, listStages, removePipeline, storePipeline } from './pipeline.ts'
export { changeProject, removeProject, storeProject } from './project.ts'
export { type GivenRate, OtherCurrency, storeRates } from './rates.ts'
export { ConstraintViolation, findRecord } from './records.ts'
export type { CheckRules } from './rule_facts.ts'
export { changeStage, removeStage, storeStage } from './stage.ts'
export { changeTag, removeTag, storeTag } from './tag.ts'
export { changeToken, revokeToken, storeToken } from './token.ts'
export { changeOwnPassword, changeUser, type Photo, removeUser, storeUser } from './user.ts'
export { acceptInvitation, findInvited, type Invited, inviteUser, takeBackInvitation } from './user_invitation.ts'
