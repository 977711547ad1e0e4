import type { GetWebhookDeliveryAnswer, ListEventTypesPage, WebhookDelivery } from '../../../client/generated/types.ts'

export type {
  Webhook,
  WebhookAttempt as Attempt,
  WebhookDelivery as Delivery,
  WebhookEvent,
  WebhookSigningKey as SigningKey,
  WebhookWithSecret,
} from '../../../client/generated/types.ts'

export type EventType = ListEventTypesPage['data'][number]

export type DeliveryStatus = WebhookDelivery['status']

export type DeliveryWithAttempts = GetWebhookDeliveryAnswer

export type DeliveryFilter = { status?: DeliveryStatus | undefined; event_type?: string | undefined }
