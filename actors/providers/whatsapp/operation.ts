/** One call of the Graph API while a client waits. */
import type { Dispatcher } from 'undici'
import { now } from '../../../storage/mod.ts'
import { isSuccess, UNREADABLE } from '../answer.ts'
import type { GraphCall } from '../graph/call.ts'
import { isObject, type Json } from '../json.ts'
import type { SendFailure } from '../provider.ts'
import { failureOf } from './failure.ts'
import { callGraph, type WhatsAppCredentials } from './graph.ts'

export type Failed = { failure: SendFailure }

const READ_LIMIT = 4 * 1024 * 1024
/** Graph's error for an object that does not exist, or is not this token's. */
const UNKNOWN_OBJECT = { code: 100, error_subcode: 33 }

/**
 * Ends by `deadline` (a moment of `performance.now()`). Never rejects, never tries again. `is_unknown`: the object of
 * the path does not exist.
 */
export async function callByDeadline(
  dispatcher: Dispatcher,
  credentials: WhatsAppCredentials,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  deadline: number,
  content: Pick<GraphCall, 'body' | 'form' | 'stream' | 'headers'> = {},
): Promise<{ body: Json } | (Failed & { is_unknown: boolean })> {
  const deadline_ms = Math.max(1, deadline - performance.now())
  const call = { method, path, deadline_ms, read_limit: READ_LIMIT, ...content }
  const { answer, body } = await callGraph(dispatcher, credentials, call)
  if (!isSuccess(answer.status)) {
    return { failure: failureOf(answer, body, now()), is_unknown: isUnknown(body) }
  }
  return isObject(body) ? { body } : { failure: UNREADABLE, is_unknown: false }
}

function isUnknown(body: unknown): boolean {
  const error = isObject(body) && isObject(body.error) ? body.error : {}
  return error.code === UNKNOWN_OBJECT.code && error.error_subcode === UNKNOWN_OBJECT.error_subcode
}
