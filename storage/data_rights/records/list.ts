import type { RecordKind } from '../record_kind.ts'
import { appointmentKinds } from './appointments.ts'
import { conversationKinds } from './conversations.ts'
import { loyaltyKinds } from './loyalty.ts'
import { peopleKinds } from './people.ts'
import { webhookKinds } from './webhooks.ts'
import { workspaceKinds } from './workspace.ts'

/** All kinds, in the order of an export: a record comes after those that it refers to. They are erased backwards. */
export const recordKinds: readonly RecordKind[] = [
  ...workspaceKinds,
  ...peopleKinds,
  ...loyaltyKinds,
  ...appointmentKinds,
  ...conversationKinds,
  ...webhookKinds,
]
