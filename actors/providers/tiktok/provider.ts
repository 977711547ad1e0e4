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
import { TikTokClient, type TikTokCredentials, type TikTokOptions } from './client.ts'
import { buildRequest } from './request.ts'
import { verifySignature } from './signature.ts'
import { parseWebhook } from './webhook.ts'

export class TikTok implements Provider {
  readonly window_hours = 48
  /** The basic level of TikTok's API for Business. */
  readonly pace = { per_second: 10 }
  readonly confirms = false
  readonly settles_doubt = 'nothing'
  /** Reads name a moment. */
  readonly early_statuses = false
  readonly #client: TikTokClient

  constructor(options: TikTokOptions = {}) {
    this.#client = new TikTokClient(options)
  }

  build(message: Payload, options: BuildOptions): Json {
    return buildRequest(message, options)
  }

  send(credentials: Credentials, request: Json, signal?: AbortSignal): Promise<Outcome> {
    return this.#client.send(credentials as TikTokCredentials, request, signal)
  }

  probe(credentials: Credentials) {
    return this.#client.probe(credentials as TikTokCredentials)
  }

  fetchFile(credentials: Credentials, reference: Json, limits: FetchLimits) {
    return this.#client.fetchFile(credentials as TikTokCredentials, reference, limits)
  }

  readonly hook: Hook = { signature_header: 'tiktok-signature', read: readCall }

  close(): Promise<void> {
    return this.#client.close()
  }
}

function readCall({ raw, signature }: HookCall, { credentials }: Account, now: Date): HookResult {
  if (!verifySignature(raw, signature, credentials.app_secret ?? '')) {
    return { status: 401, body: 'the signature does not match', items: [] }
  }
  const items = parseWebhook(raw, now)
  if (!items) return { status: 400, body: 'not a call about TikTok', items: [] }
  return { status: 200, body: 'ok', items }
}
