/** Calls about what a WhatsApp Business Account has, made through the Graph API while a client waits. */
import { Agent, type Dispatcher } from 'undici'
import type { WhatsAppCredentials } from './graph.ts'
import { callByDeadline } from './operation.ts'

export class AccountCalls {
  protected readonly dispatcher: Dispatcher

  constructor(dispatcher: Dispatcher = new Agent({ allowH2: false, keepAliveTimeout: 4_000 })) {
    this.dispatcher = dispatcher
  }

  async close(): Promise<void> {
    await this.dispatcher.destroy()
  }

  /** `deadline`: a moment of `performance.now()`. */
  protected call(
    credentials: WhatsAppCredentials,
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    deadline: number,
    content?: { body?: unknown; form?: FormData },
  ) {
    return callByDeadline(this.dispatcher, credentials, method, path, deadline, content)
  }
}
