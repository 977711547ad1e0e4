/** A phone paired by QR code as a provider: the adapter around what this folder knows. */
import type { Json } from '../json.ts'
import type { Payload } from '../payload.ts'
import type { Account, BuildOptions, Credentials, Hook, HookCall, HookResult, Outcome, Provider } from '../provider.ts'
import { isSecret } from '../secret.ts'
import { EvolutionClient, type EvolutionCredentials } from './client.ts'
import { readEvent } from './event.ts'
import { buildRequest } from './request.ts'

type Options = {
  /** Milliseconds a send may take in all. */
  deadline_ms?: number | undefined
}

export class Evolution implements Provider {
  /** A paired phone may write to anybody. */
  readonly window_hours = null
  /** WhatsApp publishes no limit for phones and bars those that write like machines: slower than a provider's account. */
  readonly pace = { per_second: 5, recipient: { every_ms: 1_000, burst: 5 } }
  /** The gateway tells of each message it sent and of each receipt, by the id that was chosen here. */
  readonly confirms = true
  /** Older gateways choose an id of their own. */
  readonly early_statuses = true
  readonly #client: EvolutionClient

  constructor({ deadline_ms }: Options = {}) {
    this.#client = new EvolutionClient({ deadline_ms })
  }

  build(message: Payload, options: BuildOptions): Json {
    return buildRequest(message, options)
  }

  send(credentials: Credentials, request: Json, signal?: AbortSignal): Promise<Outcome> {
    return this.#client.send(credentials as EvolutionCredentials, request, signal)
  }

  probe(credentials: Credentials) {
    return this.#client.probe(credentials as EvolutionCredentials)
  }

  /** The gateway signs nothing, but sends the headers it was given with its webhook. */
  readonly hook: Hook = { signature_header: 'x-parley-secret', read: readCall }

  close(): Promise<void> {
    return this.#client.close()
  }
}

function readCall({ raw, signature }: HookCall, account: Account, now: Date): HookResult {
  if (!isSecret(signature, account.credentials.webhook_secret)) {
    return { status: 401, body: 'the secret does not match', items: [] }
  }
  const items = readEvent(raw, account, now)
  return items ? { status: 200, body: 'OK', items } : { status: 400, body: 'not an event of the gateway', items: [] }
}
