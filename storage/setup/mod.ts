export { changeCompany, removeCompany, storeCompany } from './access/company.ts'
export { revokeOperatorKey, storeOperatorKey } from './access/operator_key.ts'
export { changeProject, removeProject, storeProject } from './access/project.ts'
export { changeToken, revokeToken, storeToken } from './access/token.ts'
export { changeOwnPassword, changeUser, type Photo, removeUser, storeUser } from './access/user.ts'
export {
  acceptInvitation,
  findInvited,
  type Invited,
  inviteUser,
  takeBackInvitation,
} from './access/user_invitation.ts'
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
export { changeCustomField, removeCustomField, storeCustomField } from './crm/custom_field.ts'
export { changeCustomer, removeCustomer, storeCustomer } from './crm/customer.ts'
export { changeEventType, removeEventType, storeEventType } from './crm/event_type.ts'
export { removeMembership, removeProgram } from './crm/loyalty.ts'
export { changeTag, removeTag, storeTag } from './crm/tag.ts'
export { removeExport } from './data_export.ts'
export { type DemoRecords, storeDemo } from './demo.ts'
export { joined } from './joined.ts'
export { changePipeline, listStages, removePipeline, storePipeline } from './pipelines/pipeline.ts'
export type { CheckRules } from './pipelines/rule_facts.ts'
export { changeStage, removeStage, storeStage } from './pipelines/stage.ts'
export { OtherCurrency, type RateInput, storeRates } from './rates.ts'
export { ConstraintViolation, findRecord } from './records.ts'
