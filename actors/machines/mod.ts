/** The lifecycles of records, each defined once as an xstate machine. docs/machines.md shows them as diagrams. */
export { type AppointmentEvent, appointmentMachine, nextAppointmentStatus } from './appointment.ts'
export { type BroadcastEvent, broadcastMachine, nextBroadcastStatus } from './broadcast.ts'
export { type BulkActionEvent, bulkActionMachine, nextBulkActionStatus } from './bulk_action.ts'
export {
  type ConversationEvent,
  type ConversationPhase,
  conversationMachine,
  nextConversationPhase,
} from './conversation.ts'
export {
  type DeliveryEvent,
  type DeliveryState,
  deliveryMachine,
  deliveryStateOf,
  deliveryStatusOf,
  nextDeliveryState,
} from './delivery.ts'
export { diagram } from './diagram.ts'
export { type FlowEvent, flowMachine, nextFlowStatus } from './flow.ts'
export {
  type InboundStatus,
  inboundMessageMachine,
  type MessageEvent,
  messageMachine,
  nextInboundStatus,
  nextMessageStatus,
  type OutboundStatus,
} from './message.ts'
export {
  nextSubscription,
  type SubscriptionEvent,
  type SubscriptionHealth,
  subscriptionMachine,
} from './subscription.ts'
export { nextTestRunState, type TestRunEvent, testRunMachine } from './test_run.ts'
export { nextTicketClosed, type TicketEvent, ticketMachine } from './ticket.ts'
