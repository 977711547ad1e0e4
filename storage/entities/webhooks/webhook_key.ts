import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** An Ed25519 key of a project, with which deliveries are signed. `sealed` is the private key, encrypted. */
export const WebhookKey = defineEntity({
  name: 'WebhookKey',
  tableName: 'webhook_key',
  properties: {
    /** `<project_id>-<number>`. */
    id: p.text().primary(),
    project_id: p.text(),
    /** From 1. The highest number is the present key. */
    number: p.integer(),
    /** The 32 bytes as base64. */
    public_key: p.text(),
    sealed: p.text(),
    created_at: p.datetime(3),
    /** Null for the present key. A former one signs too until then. */
    valid_until: p.datetime(3).nullable(),
  },
})

export type WebhookKey = InferEntity<typeof WebhookKey>
