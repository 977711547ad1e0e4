export { testRunsActor } from './actor.ts'
export type { TestRunsProtocol } from './protocol.ts'
