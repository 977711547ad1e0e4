import type { Dispatcher } from 'undici'
import { now } from '../../../storage/mod.ts'
import { createProviderAgent } from '../agent.ts'
import { ASK_DEADLINE_MS, isSuccess, SEND_DEADLINE_MS, UNREADABLE } from '../answer.ts'
import { isObject, type Json, objects, textOf } from '../json.ts'
import type {
  Addressed,
  HistoryAsked,
  Outcome,
  ProvenIds,
  ProviderTemplate,
  SendFailure,
  ThreadMove,
} from '../provider.ts'
import { failureOf } from './failure.ts'
import { callGraph, type WhatsAppCredentials } from './graph.ts'
import { requestHistory } from './history.ts'
import { TEMPLATE_FIELDS, toTemplate } from './listed_template.ts'
import { bothIds } from './person_ids.ts'

type Options = {
  dispatcher?: Dispatcher
  /** Maximum milliseconds of a send. */
  deadline_ms?: number | undefined
}

const SEND_READ_LIMIT = 65_536
const LIST_READ_LIMIT = 8_388_608
const TEMPLATES_PER_PAGE = 100
/** 250 templates are usual; Meta allows at most 6000 per account. */
const MAX_PAGES = 60

/**
 * Client of WhatsApp's Cloud API. Its address comes from the operator, not from a user, so calls do not pass the
 * outbound guard.
 */
export class WhatsAppClient {
  readonly #dispatcher: Dispatcher
  readonly #deadline_ms: number

  constructor({ dispatcher, deadline_ms = SEND_DEADLINE_MS }: Options = {}) {
    this.#dispatcher = dispatcher ?? createProviderAgent()
    this.#deadline_ms = deadline_ms
  }

  /** One call with a body of `buildMessage` or `buildRead`, or a user's own. Never rejects, never tries again. */
  async send(credentials: WhatsAppCredentials, request: Json, signal?: AbortSignal): Promise<Outcome> {
    const { answer, body } = await callGraph(this.#dispatcher, credentials, {
      method: 'POST',
      path: `${credentials.phone_number_id}/messages`,
      body: request,
      deadline_ms: this.#deadline_ms,
      read_limit: SEND_READ_LIMIT,
      signal,
    })
    if (isSuccess(answer.status)) {
      const sent = isObject(body) ? textOf(objects(body.messages)[0]?.id) : null
      if (sent !== null) return { sent, ...otherNumber(request, body as Json), ...answeredIds(request, body as Json) }
      if (isObject(body) && body.success === true) return { sent: '' }
      return { failure: UNREADABLE }
    }
    return { failure: failureOf(answer, body, now()) }
  }

  /** Changes the app that holds the conversation with a person. Never rejects, never tries again. */
  async moveThread(
    credentials: WhatsAppCredentials,
    { user_id, bsuid }: Addressed,
    move: ThreadMove,
    signal: AbortSignal,
  ): Promise<{ done: true } | { failure: SendFailure }> {
    const { answer, body } = await callGraph(this.#dispatcher, credentials, {
      method: 'POST',
      path: `${credentials.phone_number_id}/thread_control`,
      body: {
        messaging_product: 'whatsapp',
        ...(user_id === bsuid ? { recipient: user_id } : { to: user_id }),
        action: move.action,
        ...(move.action === 'pass' && { control_pass: { target_role: move.to } }),
      },
      deadline_ms: ASK_DEADLINE_MS,
      read_limit: SEND_READ_LIMIT,
      signal,
    })
    return isSuccess(answer.status) ? { done: true } : { failure: failureOf(answer, body, now()) }
  }

  /** Checks whether the provider knows the number and takes the token. */
  async probe(credentials: WhatsAppCredentials): Promise<{ number: Json } | { failure: SendFailure }> {
    const path = `${credentials.phone_number_id}?fields=id,display_phone_number,verified_name,quality_rating`
    const asked = await this.#ask(credentials, path)
    return 'failure' in asked ? asked : { number: asked.body }
  }

  /** All templates of the business account. */
  async listTemplates(
    credentials: WhatsAppCredentials,
  ): Promise<{ templates: ProviderTemplate[] } | { failure: SendFailure }> {
    const templates: ProviderTemplate[] = []
    let cursor = ''
    for (let page = 0; page < MAX_PAGES; page++) {
      const path = `${credentials.business_account_id}/message_templates?fields=${TEMPLATE_FIELDS}&limit=${TEMPLATES_PER_PAGE}${cursor}`
      const asked = await this.#ask(credentials, path)
      if ('failure' in asked) return asked
      const { data, paging } = asked.body
      templates.push(...objects(data).flatMap(toTemplate))
      // Use the cursor, not the link to the next page: a link could send the token elsewhere.
      const { next, cursors } = isObject(paging) ? paging : {}
      const after = next && isObject(cursors) ? textOf(cursors.after) : null
      if (after === null) break
      cursor = `&after=${encodeURIComponent(after)}`
    }
    return { templates }
  }

  /** Asks for the history of the phone that the account is paired with. */
  requestHistory(credentials: WhatsAppCredentials): Promise<HistoryAsked> {
    return requestHistory(this.#dispatcher, credentials)
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy()
  }

  async #ask(credentials: WhatsAppCredentials, path: string): Promise<{ body: Json } | { failure: SendFailure }> {
    const limits = { deadline_ms: ASK_DEADLINE_MS, read_limit: LIST_READ_LIMIT }
    const { answer, body } = await callGraph(this.#dispatcher, credentials, { method: 'GET', path, ...limits })
    if (!isSuccess(answer.status)) return { failure: { ...failureOf(answer, body, now()), maybe_accepted: false } }
    if (isObject(body)) return { body }
    return { failure: { ...UNREADABLE, maybe_accepted: false } }
  }
}

/** The digits by which WhatsApp knows the recipient, where they are not those of the request. */
function otherNumber({ to }: Json, { contacts }: Json): { user_id?: string } {
  const wa_id = textOf(objects(contacts)[0]?.wa_id)
  const is_other = typeof to === 'string' && wa_id !== null && NUMBER.test(wa_id) && wa_id !== to.replace(/^\+/, '')
  return is_other ? { user_id: wa_id } : {}
}

/** The ids of the recipient. A group has none. */
function answeredIds({ recipient_type, to, recipient }: Json, { contacts }: Json): { proven?: ProvenIds } {
  if (recipient_type === 'group') return {}
  const { wa_id, user_id, input } = objects(contacts)[0] ?? {}
  return bothIds([wa_id, user_id, input, to, recipient])
}

const NUMBER = /^\d{5,20}$/
