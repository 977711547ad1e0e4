/** The provider adapter for a Telegram bot. */

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
import { idOfToken } from './callback_data.ts'
import { TelegramClient, type TelegramCredentials } from './client.ts'
import { buildRequest } from './request.ts'
import { readUpdate } from './update.ts'

type Options = {
  /** Maximum milliseconds of a send. */
  deadline_ms?: number | undefined
}

export class Telegram implements Provider {
  /** A bot may write to people who once wrote to it, until they block it. */
  readonly window_hours = null
  /** Telegram's "Broadcasting to users": 30 messages a second, one a second in one chat, with short bursts allowed. */
  readonly pace = { per_second: 30, recipient: { every_ms: 1_000, burst: 3 } }
  /** Telegram sends no receipts. */
  readonly confirms = false
  readonly settles_doubt = 'nothing'
  readonly early_statuses = false
  readonly #client: TelegramClient

  constructor({ deadline_ms }: Options = {}) {
    this.#client = new TelegramClient({ deadline_ms })
  }

  build(message: Payload, options: BuildOptions): Json {
    return buildRequest(message, options)
  }

  idOfToken(token: string, sent: Payload): string | undefined {
    return idOfToken(token, sent)
  }

  send(credentials: Credentials, request: Json, signal?: AbortSignal): Promise<Outcome> {
    return this.#client.send(credentials as TelegramCredentials, request, signal)
  }

  probe(credentials: Credentials) {
    return this.#client.probe(credentials as TelegramCredentials)
  }

  fetchFile(credentials: Credentials, reference: Json, limits: FetchLimits) {
    return this.#client.fetchFile(credentials as TelegramCredentials, reference, limits)
  }

  readonly hook: Hook = { signature_header: 'x-telegram-bot-api-secret-token', read: readCall }

  close(): Promise<void> {
    return this.#client.close()
  }
}

function readCall({ raw, signature }: HookCall, account: Account, now: Date): HookResult {
  if (!isSecret(signature, account.credentials.webhook_secret)) {
    return { status: 401, body: 'the secret token does not match', items: [] }
  }
  const read = readUpdate(raw, account, now)
  return read ? { status: 200, ...read } : { status: 400, body: 'not an update of Telegram', items: [] }
}
