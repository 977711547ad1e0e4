import { randomUUID } from 'node:crypto'
import { type Api, ApiRefusal, Unreachable } from '../connection/api.ts'
import { poll } from '../connection/poll.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { BROADCASTS } from './record.ts'

/** `warnings`: missing from nodes of earlier versions. */
export type Accepted = {
  broadcast_id: string
  status: string
  total: number
  warnings?: { code: string; message: string }[]
}

/**
 * Posts a broadcast until there is an answer. It is created once, even when requests or answers are lost.
 * @throws {ApiRefusal} when the API refuses
 */
export async function submit(api: Api, body: object): Promise<Accepted> {
  const headers = { 'idempotency-key': randomUUID() }
  try {
    return await poll(api, () => api.call<Accepted>('POST', BROADCASTS, body, { headers }).catch(unlessInProgress))
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error
    const advice = 'It may have been taken: `parley broadcast list` tells, once the server is back.'
    throw new CommandFailure(`${error.message} ${advice}`)
  }
}

/** Another node is still processing the first request, whose answer is lost. */
function unlessInProgress(error: unknown): undefined {
  if (!(error instanceof ApiRefusal && error.code === 'IDEMPOTENCY_IN_PROGRESS')) throw error
}
