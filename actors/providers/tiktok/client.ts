import { buffer } from 'node:stream/consumers'
import type { Dispatcher } from 'undici'
import { now } from '../../../storage/mod.ts'
import {
  type ExchangeRequest,
  exchange,
  type FetchFailed,
  fetchFile,
  OutboundGuard,
  parseUrl,
} from '../../outbound/mod.ts'
import { createProviderAgent } from '../agent.ts'
import { ASK_DEADLINE_MS, doneAfter, isSuccess, SEND_DEADLINE_MS, UNREADABLE } from '../answer.ts'
import { isObject, type Json, parseAnswer, textOf } from '../json.ts'
import type { FetchLimits, Outcome, ReceivedFile, SendFailure } from '../provider.ts'
import { directTo, fetchLink, unknownReference } from '../received_file.ts'
import { tiktokFailure } from './failure.ts'

/** The encrypted credentials of a TikTok channel. */
export type TikTokCredentials = {
  /** The business id. */
  account_id: string
  access_token: string
  /** Key for the signature of webhook calls. */
  app_secret: string
  /** Replaces TikTok's address: a simulator, a proxy. May end in `/open_api/v1.3`. */
  api_base_url?: string
}

export type TikTokOptions = {
  /** Maximum milliseconds of a send. */
  deadline_ms?: number | undefined
  /** For pictures, which are fetched from addresses that users give. */
  guard?: OutboundGuard | undefined
}

const BASE_URL = 'https://business-api.tiktok.com'
const API = '/open_api/v1.3'
const READ_LIMIT = 65_536
/** TikTok's maximum picture size. */
const PICTURE_LIMIT = 20 * 1024 * 1024

type Limits = { deadline_ms: number; signal: AbortSignal | undefined }
type Called = { data: Json; done_after: number } | { failure: SendFailure }
type Request = Pick<ExchangeRequest, 'method' | 'deadline_ms' | 'signal'> & { json?: Json; form?: FormData }

/** Client of TikTok's API for Business. */
export class TikTokClient {
  readonly #provider: Dispatcher = createProviderAgent()
  readonly #links: Dispatcher
  readonly #deadline_ms: number

  constructor({ deadline_ms = SEND_DEADLINE_MS, guard = new OutboundGuard() }: TikTokOptions = {}) {
    this.#links = guard.createDispatcher()
    this.#deadline_ms = deadline_ms
  }

  /** Fetches and uploads a linked picture first; after a failure before the send itself the message was certainly not taken. */
  async send(credentials: TikTokCredentials, request: Json, signal?: AbortSignal): Promise<Outcome> {
    const ends_at = performance.now() + this.#deadline_ms
    const left = () => ({ deadline_ms: Math.max(1, ends_at - performance.now()), signal })
    const link = isObject(request.image) ? textOf(request.image.link) : null
    let content = request
    if (link !== null) {
      const uploaded = await this.#upload(credentials, link, left)
      if ('failure' in uploaded) return { failure: beforeSending(uploaded.failure) }
      content = { ...request, image: { media_id: uploaded.media_id } }
    }
    const json = { business_id: credentials.account_id, ...content }
    const sent = await this.#call(credentials, 'business/message/send/', { method: 'POST', json, ...left() })
    if ('failure' in sent) return sent
    const { message } = sent.data
    const id = isObject(message) ? textOf(message.message_id) : null
    return id === null ? { failure: UNREADABLE } : { sent: id, taken_after: sent.done_after }
  }

  /** Checks whether TikTok knows the account and takes the token. */
  async probe(credentials: TikTokCredentials): Promise<{ account: Json } | { failure: SendFailure }> {
    const query = new URLSearchParams({
      business_id: credentials.account_id,
      fields: JSON.stringify(['username', 'display_name', 'profile_image']),
    })
    const request: Request = { method: 'GET', deadline_ms: ASK_DEADLINE_MS }
    const asked = await this.#call(credentials, `business/get/?${query}`, request)
    if ('failure' in asked) return { failure: { ...asked.failure, maybe_accepted: false } }
    return { account: asked.data }
  }

  /** Asks for the address of the file, and begins to fetch it. Never rejects. */
  async fetchFile(credentials: TikTokCredentials, reference: Json, limits: FetchLimits): Promise<ReceivedFile> {
    const { conversation_id, message_id, media_id, media_type } = reference
    if (typeof media_id !== 'string') return unknownReference()
    const { account_id: business_id, access_token, api_base_url = BASE_URL } = credentials
    const json = { business_id, conversation_id, message_id, media_id, media_type }
    const call: Request = { method: 'POST', json, deadline_ms: ASK_DEADLINE_MS, signal: limits.signal }
    const asked = await this.#call(credentials, 'business/message/media/download/', call)
    if ('failure' in asked) return asked
    const url = parseUrl(textOf(asked.data.download_url) ?? '')
    if (!url) return { failure: UNREADABLE }
    const is_configured = url.origin === parseUrl(api_base_url)?.origin
    // TikTok gives out files of messages to the holder of the token alone.
    const headers = url.protocol === 'https:' || is_configured ? { 'x-user': access_token } : undefined
    return fetchLink(directTo(api_base_url, this.#provider, this.#links), url.href, limits, headers)
  }

  async close(): Promise<void> {
    await Promise.all([this.#provider.destroy(), this.#links.destroy()])
  }

  async #upload(
    credentials: TikTokCredentials,
    link: string,
    left: () => Limits,
  ): Promise<{ media_id: string } | { failure: SendFailure }> {
    const picture = await this.#fetch(link, left()).catch((error: FetchFailed) => ({ failure: linkFailure(error) }))
    if ('failure' in picture) return picture
    const form = new FormData()
    form.set('business_id', credentials.account_id)
    form.set('media_type', 'IMAGE')
    form.set('file', new File([new Uint8Array(picture.bytes)], 'picture', { type: picture.mime_type }))
    const call: Request = { method: 'POST', form, ...left() }
    const uploaded = await this.#call(credentials, 'business/message/media/upload/', call)
    if ('failure' in uploaded) return uploaded
    const media_id = textOf(uploaded.data.media_id)
    return media_id === null ? { failure: UNREADABLE } : { media_id }
  }

  /** Rejects with `FetchFailed`. */
  async #fetch(link: string, limits: Limits): Promise<{ bytes: Buffer; mime_type: string }> {
    const options = { dispatcher: this.#links, limit: PICTURE_LIMIT, ...limits }
    const { stream, mime_type } = await fetchFile(link, options)
    return { bytes: await buffer(stream), mime_type }
  }

  async #call(
    { access_token, api_base_url = BASE_URL }: TikTokCredentials,
    path: string,
    { json, form, ...request }: Request,
  ): Promise<Called> {
    const base = api_base_url.replace(/\/+$/, '')
    const sent = form === undefined ? undefined : new Response(form)
    const content_type = sent?.headers.get('content-type') ?? (json === undefined ? null : 'application/json')
    const answer = await exchange(this.#provider, {
      ...request,
      url: `${base.endsWith(API) ? base : base + API}/${path}`,
      headers: {
        'access-token': access_token,
        accept: 'application/json',
        ...(content_type !== null && { 'content-type': content_type }),
      },
      body: sent ? new Uint8Array(await sent.arrayBuffer()) : json === undefined ? undefined : JSON.stringify(json),
      read_limit: READ_LIMIT,
    })
    const body = parseAnswer(answer)
    if (isSuccess(answer.status) && isObject(body) && body.code === 0)
      return isObject(body.data) ? { data: body.data, done_after: doneAfter(answer, now()) } : { failure: UNREADABLE }
    if (answer.status === 200 && !(isObject(body) && textOf(body.code))) return { failure: UNREADABLE }
    return { failure: tiktokFailure(answer, body, now()) }
  }
}

/** Nothing was sent yet, so an unclear failure may be retried. */
function beforeSending(failure: SendFailure): SendFailure {
  return { ...failure, kind: failure.kind === 'unknown' ? 'retry' : failure.kind, maybe_accepted: false }
}

/** A picture that is not available. A refusal by our guard, a 4xx or an excessive size is final. */
function linkFailure({ code, message, is_final }: FetchFailed): SendFailure {
  return {
    kind: is_final ? 'refuse' : 'retry',
    code: code === 'too_large' ? 'media_too_large' : 'media_unavailable',
    message: code === 'too_large' ? 'The picture is larger than 20 MB.' : `The picture: ${message}`,
    scope: 'message',
    maybe_accepted: false,
  }
}
