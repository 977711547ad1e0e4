import type { Accounts } from './accounts.ts'
import type { Answer, SimulatorRequest } from './answer.ts'
import type { ControlRoute } from './control_route.ts'
import type { Faults } from './faults.ts'
import type { Ledger } from './ledger.ts'
import type { Settings } from './options.ts'
import type { Schedule } from './schedule.ts'
import type { WebhookSender } from './webhook_sender.ts'

/** What every simulated provider shares. */
export type World = {
  settings: Settings
  faults: Faults
  ledger: Ledger
  webhooks: WebhookSender
  schedule: Schedule
  accounts: Accounts
  /** Unix milliseconds. */
  now: () => number
}

/**
 * One simulated provider. The server asks the providers in turn; the first that knows the path answers.
 */
export type Provider = {
  /** The channel type whose inbound messages it injects. */
  channel: string
  /** Undefined when the path is not one of this provider's. */
  serve(request: SimulatorRequest): Answer | Promise<Answer> | undefined
  /** Injects a message of a person, as POST /_control/inbound has it. */
  inbound(body: Record<string, unknown>): Promise<Answer>
  /** Control routes of this provider only. */
  control: ControlRoute[]
  /** What GET /_control shows of it. */
  describe(): Record<string, unknown>
}
