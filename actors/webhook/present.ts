/** The forms in which an envelope is delivered. Most subscriptions want the stored text, which no function touches. */
import type { WebhookFormat, WebhookPayload } from '../../storage/mod.ts'
import { recordPath } from '../event_types/access.ts'

type Presented = { payload: WebhookPayload; format: WebhookFormat }
type Envelope = { id: string; type: string; created_at: string; project_id: string; data: Record<string, unknown> }

/** Makes the body of a delivery from the stored envelope. The same envelope gives the same bytes. */
export type Present = (envelope: string) => string

const CLOUDEVENTS_TYPE = 'application/cloudevents+json'

/** Undefined for a subscription that gets envelopes as they are stored. `base_url`: the public address of the API. */
export function presenterFor({ payload, format }: Presented, base_url: string): Present | undefined {
  if (payload === 'full' && format === 'standard') return undefined
  return (text) => {
    const envelope: Envelope = JSON.parse(text)
    const presented = payload === 'thin' ? { ...envelope, data: thinData(envelope) } : envelope
    return JSON.stringify(format === 'cloudevents' ? cloudEvent(presented, base_url) : presented)
  }
}

/** Undefined for `application/json`. */
export function contentTypeOf({ format }: Pick<Presented, 'format'>): string | undefined {
  return format === 'cloudevents' ? CLOUDEVENTS_TYPE : undefined
}

/** The addresses under which the event and its record are fetched, as paths of the API. */
function thinData({ id, type, data }: Envelope): Record<string, unknown> {
  const addresses = { event: `/v1/events/${id}`, record: recordPath(type, data) }
  return data._test === true ? { ...addresses, _test: true } : addresses
}

/** CloudEvents 1.0, structured mode. `source` and `id` together identify the event. */
function cloudEvent({ id, type, created_at, project_id, data }: Envelope, base_url: string): Record<string, unknown> {
  return {
    specversion: '1.0',
    id,
    source: `${base_url}/v1/projects/${project_id}`,
    type,
    time: created_at,
    datacontenttype: 'application/json',
    projectid: project_id,
    data,
  }
}
