export { testRunsActor } from './actor.ts'
export { caseOfTicket } from './case_of_ticket.ts'
export type { TestRunsProtocol } from './protocol.ts'
