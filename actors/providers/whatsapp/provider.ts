/** The provider adapter for WhatsApp's Cloud API. */

import { OutboundGuard } from '../../outbound/mod.ts'
import { challengeAnswer, verifySignature } from '../graph/signature.ts'
import type { Json } from '../json.ts'
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
  Provider,
  ProviderHistory,
  ReceivedFile,
  ThreadMove,
} from '../provider.ts'
import { WhatsAppClient } from './client.ts'
import type { WhatsAppCredentials } from './graph.ts'
import { readHistory } from './history.ts'
import { WhatsAppMedia } from './media.ts'
import { buildMessage } from './request.ts'
import { fileKindOf } from './template.ts'
import { holderAfter } from './threads.ts'
import { parseWebhook } from './webhook.ts'

type Options = {
  /** Maximum milliseconds of a send. */
  deadline_ms?: number | undefined
  /** For files of people, whose addresses Meta names. */
  guard?: OutboundGuard | undefined
}

export class WhatsApp implements Provider {
  readonly window_hours = 24
  /** Meta's throughput of a number, and its limit for a pair: one message in six seconds, 45 of them borrowed. */
  readonly pace = { per_second: 80, recipient: { every_ms: 6_000, burst: 45 } }
  readonly confirms = true
  readonly settles_doubt = 'callback'
  readonly early_statuses = false
  readonly #client: WhatsAppClient
  readonly #media: WhatsAppMedia

  constructor({ deadline_ms, guard = new OutboundGuard() }: Options = {}) {
    this.#client = new WhatsAppClient({ deadline_ms })
    this.#media = new WhatsAppMedia(guard)
  }

  build(message: Payload, options: BuildOptions): Json {
    return buildMessage(withProviderFiles(message, options.fileOf), options)
  }

  send(credentials: Credentials, request: Json, signal?: AbortSignal): Promise<Outcome> {
    return this.#client.send(credentials as WhatsAppCredentials, request, signal)
  }

  async moveThread(credentials: Credentials, person: Addressed, move: ThreadMove, signal: AbortSignal) {
    const moved = await this.#client.moveThread(credentials as WhatsAppCredentials, person, move, signal)
    return 'failure' in moved ? moved : { holder: holderAfter(move) }
  }

  async probe(credentials: Credentials) {
    const asked = await this.#client.probe(credentials as WhatsAppCredentials)
    return 'failure' in asked ? asked : { account: asked.number }
  }

  readonly hook: Hook = {
    signature_header: 'x-hub-signature-256',
    challenge: (query, { verify_token = '' }) => challengeAnswer(query, verify_token),
    read: readCall,
  }

  readonly history: ProviderHistory = {
    request: (credentials) => this.#client.requestHistory(credentials as WhatsAppCredentials),
    read: readHistory,
  }

  fetchFile(credentials: Credentials, reference: Json, limits: FetchLimits): Promise<ReceivedFile> {
    return this.#media.fetchFile(credentials, reference, limits)
  }

  listTemplates = (credentials: Credentials) => this.#client.listTemplates(credentials as WhatsAppCredentials)

  async close(): Promise<void> {
    await Promise.all([this.#client.close(), this.#media.close()])
  }
}

/** The message with the provider's ids in place of ours. A file that the provider does not store is sent as a link. */
function withProviderFiles(message: Payload, fileOf: BuildOptions['fileOf']): Payload {
  const named = <Part extends { media_id?: string; link?: string }>(part: Part): Part => {
    if (part.media_id === undefined) return part
    const { media_id, ...rest } = part
    const { provider_media_id, link } = fileOf(media_id)
    return (provider_media_id === null ? { ...rest, link } : { ...rest, media_id: provider_media_id }) as Part
  }
  switch (message.type) {
    case 'image':
    case 'video':
    case 'audio':
    case 'sticker':
      return named(message)
    case 'document': {
      // WhatsApp shows no name of a file that it stores, unless the message has one.
      const { media_id, filename = media_id && fileOf(media_id).filename } = message
      return named({ ...message, ...(filename && { filename }) })
    }
    case 'buttons':
      return message.header ? { ...message, header: named(message.header) } : message
    case 'carousel':
      return { ...message, cards: message.cards.map((card) => ({ ...card, header: named(card.header) })) }
    case 'template': {
      const sentAs = (name: string, value: string) => {
        if (!fileKindOf(name, value)) return value
        const { provider_media_id, link } = fileOf(value)
        return provider_media_id ?? link
      }
      const variables = Object.entries(message.variables ?? {})
      return {
        ...message,
        variables: Object.fromEntries(variables.map(([name, value]) => [name, sentAs(name, value)])),
      }
    }
    default:
      return message
  }
}

function readCall({ raw, signature }: HookCall, { credentials }: Account, now: Date): HookResult {
  const { app_secret = '', business_account_id = null } = credentials
  if (!verifySignature(raw, signature, app_secret)) {
    return { status: 401, body: 'the signature does not match', items: [] }
  }
  const items = parseWebhook(raw, now, business_account_id)
  if (!items) return { status: 400, body: 'not a call about WhatsApp', items: [] }
  return { status: 200, body: 'EVENT_RECEIVED', items }
}
