/** The provider adapter for Meta's send and receive platform for pages, configured for Instagram or Messenger. */
import { challengeAnswer, verifySignature } from '../graph/signature.ts'
import { type Json, parseCall } from '../json.ts'
import type { Payload } from '../payload.ts'
import type {
  Account,
  Addressed,
  BuildOptions,
  Credentials,
  FetchLimits,
  Hook,
  HookCall,
  HookResult,
  Outcome,
  Pace,
  Provider,
  ThreadMove,
} from '../provider.ts'
import { PageClient, type PageClientOptions } from './client.ts'
import type { PageCredentials, Platform } from './platform.ts'
import { buildRequest } from './request.ts'
import { holderAfter } from './threads.ts'
import { readEntries } from './webhook.ts'

export type PageProviderOptions = Pick<PageClientOptions, 'deadline_ms' | 'guard'>

export class PageProvider implements Provider {
  readonly window_hours = 24
  readonly pace: Pace
  /** Deliveries and reads name only Meta's ids. */
  readonly confirms = false
  readonly settles_doubt = 'nothing'
  readonly early_statuses = true
  readonly #platform: Platform
  readonly #client: PageClient

  constructor(platform: Platform, options: PageProviderOptions) {
    this.#platform = platform
    this.#client = new PageClient(platform, options)
    this.pace = { per_second: platform.per_second }
  }

  build(message: Payload, options: BuildOptions): Json {
    return buildRequest(this.#platform, message, options)
  }

  send(credentials: Credentials, request: Json, signal?: AbortSignal): Promise<Outcome> {
    return this.#client.send(credentials as PageCredentials, request, signal)
  }

  async moveThread(credentials: Credentials, person: Addressed, move: ThreadMove, signal: AbortSignal) {
    const moved = await this.#client.moveThread(credentials as PageCredentials, person, move, signal)
    return 'failure' in moved ? moved : { holder: holderAfter(move) }
  }

  probe(credentials: Credentials) {
    return this.#client.probe(credentials as PageCredentials)
  }

  fetchFile(credentials: Credentials, reference: Json, limits: FetchLimits) {
    return this.#client.fetchFile(credentials as PageCredentials, reference, limits)
  }

  readonly hook: Hook = {
    signature_header: 'x-hub-signature-256',
    challenge: (query, { verify_token = '' }) => challengeAnswer(query, verify_token),
    read: (call, account, now) => this.#read(call, account, now),
  }

  close(): Promise<void> {
    return this.#client.close()
  }

  #read({ raw, signature }: HookCall, { credentials }: Account, now: Date): HookResult {
    if (!verifySignature(raw, signature, credentials.app_secret ?? '')) {
      return { status: 401, body: 'the signature does not match', items: [] }
    }
    const items = readEntries(this.#platform, parseCall(raw), now)
    if (!items) return { status: 400, body: `not a call about ${this.#platform.title}`, items: [] }
    return { status: 200, body: 'EVENT_RECEIVED', items }
  }
}
