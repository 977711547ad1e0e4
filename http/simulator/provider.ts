import type { Accounts } from './accounts.ts'
import type { Answer, SimulatorRequest } from './answer.ts'
import type { ControlRoute } from './control_route.ts'
import type { Faults } from './faults.ts'
import type { Ledger } from './ledger.ts'
import type { Settings } from './options.ts'
import type { Schedule } from './schedule.ts'
import type { Threads } from './threads.ts'
import type { WebhookSender } from './webhook_sender.ts'

/** Services shared by all simulated providers. */
export type World = {
  settings: Settings
  faults: Faults
  ledger: Ledger
  webhooks: WebhookSender
  schedule: Schedule
  accounts: Accounts
  /** Conversations that several apps share. */
  threads: Threads
  /** Unix milliseconds. */
  now: () => number
}

/** One simulated provider. The server asks the providers in turn; the first that knows the path answers. */
export type Provider = {
  /** The channel type whose inbound messages it injects. */
  channel: string
  /** Undefined when the path is not one of this provider's. */
  serve(request: SimulatorRequest): Answer | Promise<Answer> | undefined
  /** Sends a person's message, for POST /_control/inbound. `host`: the address of the simulator in that request. */
  inbound(body: Record<string, unknown>, host: string): Promise<Answer>
  /** Another app moves a conversation, for POST /_control/threads. Undefined where apps share none. */
  thread?(body: Record<string, unknown>): Promise<Answer>
  /** Control routes of this provider only. */
  control: ControlRoute[]
  /** Its part of GET /_control. */
  describe(): Record<string, unknown>
}
