/** The provider adapter for a phone paired by QR code. */
import type { Json } from '../json.ts'
import type { Payload } from '../payload.ts'
import type {
  Account,
  BuildOptions,
  Credentials,
  FetchLimits,
  Hook,
  HookCall,
  HookResult,
  Outcome,
  Provider,
} from '../provider.ts'
import { isSecret } from '../secret.ts'
import { EvolutionClient, type EvolutionCredentials } from './client.ts'
import { readEvent } from './event.ts'
import { buildRequest } from './request.ts'

type Options = {
  /** Maximum milliseconds of a send. */
  deadline_ms?: number | undefined
}

export class Evolution implements Provider {
  /** A paired phone may write to anyone at any time. */
  readonly window_hours = null
  /**
   * WhatsApp publishes no limit for phones and bans those that write like machines, so this is slower than a provider's
   * account.
   */
  readonly pace = { per_second: 5, recipient: { every_ms: 1_000, burst: 5 } }
  /** The gateway reports each message it sent and each receipt, by the id that was chosen here. */
  readonly confirms = true
  readonly settles_doubt = 'nothing'
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

  fetchFile(credentials: Credentials, reference: Json, limits: FetchLimits) {
    return this.#client.fetchFile(credentials as EvolutionCredentials, reference, limits)
  }

  /** The gateway does not sign its webhook calls, but sends its configured headers with them. */
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
