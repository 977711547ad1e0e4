/** One call of Meta's Graph API, which WhatsApp, Instagram and Messenger share. */
import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { type Exchange, exchange } from '../../outbound/mod.ts'
import { parseAnswer } from '../json.ts'

/** The version of the Graph API that Parley speaks. */
export const GRAPH_VERSION = 'v25.0'

export type GraphAddress = {
  access_token: string
  /** Meta's own address, or a substitute: a simulator, a proxy. May end in a version. */
  base_url: string
}

export type GraphCall = {
  method: 'GET' | 'POST' | 'DELETE'
  path: string
  /** Sent as JSON. */
  body?: unknown
  /** Sent as multipart instead; for small files, which it holds whole. */
  form?: FormData
  /** Streamed instead: for files of any size. `length` in bytes. */
  stream?: { body: Readable; content_type: string; length: number } | undefined
  /** In addition to the usual ones, or in place of them. */
  headers?: Record<string, string> | undefined
  deadline_ms: number
  read_limit: number
  signal?: AbortSignal | undefined
}

export type GraphAnswer = {
  answer: Exchange
  /** Undefined when the body is not JSON, or is incomplete. */
  body: unknown
}

/** Never rejects, never tries again. */
export async function callGraph(
  dispatcher: Dispatcher,
  { access_token, base_url }: GraphAddress,
  { path, body, form, stream, headers, ...rest }: GraphCall,
): Promise<GraphAnswer> {
  const base = base_url.replace(/\/+$/, '')
  const root = /\/v\d+\.\d+$/.test(base) ? base : `${base}/${GRAPH_VERSION}`
  const sent = form === undefined ? undefined : new Response(form)
  const content_type =
    stream?.content_type ?? sent?.headers.get('content-type') ?? (body === undefined ? null : 'application/json')
  const answer = await exchange(dispatcher, {
    ...rest,
    url: `${root}/${path}`,
    headers: {
      authorization: `Bearer ${access_token}`,
      accept: 'application/json',
      ...(content_type !== null && { 'content-type': content_type }),
      ...(stream && { 'content-length': String(stream.length) }),
      ...headers,
    },
    body: stream
      ? stream.body
      : sent
        ? new Uint8Array(await sent.arrayBuffer())
        : body === undefined
          ? undefined
          : JSON.stringify(body),
  })
  return { answer, body: parseAnswer(answer) }
}
