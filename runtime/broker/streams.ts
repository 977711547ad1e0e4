/**
 * Creates and changes streams by plain requests. `streams.update()` of the client library asks for STREAM.INFO first,
 * which the nats.conf of a production cluster does not grant.
 */
import {
  type ApiError,
  JetStreamApiCodes,
  JetStreamApiError,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'

const TIMEOUT_MS = 5000
/** JetStream's error code for a stream that exists with other settings: another version made it, or replicas differ. */
const STREAM_EXISTS = 10058
/** JetStream's error codes for more replicas than servers: of a cluster, and of a single server. */
const TOO_FEW_SERVERS: unknown[] = [10005, 10074]

/** The name of a stream of a cluster: the broker allows no dots in it. */
export function streamName(prefix: string, name: string): string {
  return `${prefix.replaceAll('.', '-')}-${name}`
}

/** Omitted settings get the broker's defaults, in a change as in a new stream. */
export type StreamSettings = Pick<StreamConfig, 'name' | 'subjects' | 'retention' | 'storage'> & Partial<StreamConfig>

/** Creates a stream, or applies these settings to the existing one. Rejects while the broker cannot. */
export async function makeStream(nats: NatsConnection, settings: StreamSettings): Promise<StreamInfo> {
  try {
    return await request(nats, 'CREATE', settings)
  } catch (error) {
    if (codeOf(error) !== STREAM_EXISTS) throw error
    return request(nats, 'UPDATE', settings)
  }
}

/** Resolves to false when there is no such stream. Rejects while the broker cannot say. */
export async function changeStream(nats: NatsConnection, settings: StreamSettings): Promise<boolean> {
  try {
    await request(nats, 'UPDATE', settings)
    return true
  } catch (error) {
    if (isStreamMissing(error)) return false
    throw error
  }
}

export function isStreamMissing(error: unknown): boolean {
  return codeOf(error) === JetStreamApiCodes.StreamNotFound
}

/** True when the stream cannot have as many replicas, at least at the moment. */
export function isTooFewServers(error: unknown): boolean {
  return TOO_FEW_SERVERS.includes(codeOf(error))
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code
}

async function request(nats: NatsConnection, what: 'CREATE' | 'UPDATE', settings: StreamSettings): Promise<StreamInfo> {
  const subject = `$JS.API.STREAM.${what}.${settings.name}`
  const message = await nats.request(subject, JSON.stringify(settings), { timeout: TIMEOUT_MS })
  const answer = message.json<StreamInfo & { error?: ApiError }>()
  if (answer.error) throw new JetStreamApiError(answer.error)
  return answer
}
