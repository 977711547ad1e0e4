/** Flows, as reported by the provider. Only this actor writes their rows, so that events commit with the change. */
import type { Feature } from '../turn/feature.ts'
import { type ChangeFlow, changeFlow } from './change_flow.ts'
import { flowReported } from './flow_reported.ts'
import { type RegisterFlow, registerFlow } from './register_flow.ts'
import { type RemoveFlow, removeFlow } from './remove_flow.ts'

/** The effect of an operation at the provider on a Flow. */
export type FlowChange = RegisterFlow | ChangeFlow | RemoveFlow

export const flows = {
  changes: { register_flow: registerFlow, change_flow: changeFlow, remove_flow: removeFlow },
  inbound: { flow: flowReported },
} satisfies Feature
