/**
 * Webhook subscriptions. Only this actor writes the columns that the API may change; the subscription's actor writes
 * its health.
 */
import type { Feature } from '../turn/feature.ts'
import { createWebhook } from './create_webhook.ts'
import { deleteWebhook } from './delete_webhook.ts'
import { recoverWebhook } from './recover_webhook.ts'
import { redeliverWebhook } from './redeliver_webhook.ts'
import { rotateSigningKey } from './rotate_signing_key.ts'
import { rotateWebhookSecret } from './rotate_webhook_secret.ts'
import { subscriptionFailing } from './subscription_failing.ts'
import { testWebhook } from './test_webhook.ts'
import { updateWebhook } from './update_webhook.ts'

export const webhooks = {
  commands: {
    create_webhook: createWebhook,
    update_webhook: updateWebhook,
    delete_webhook: deleteWebhook,
    rotate_webhook_secret: rotateWebhookSecret,
    rotate_webhook_signing_key: rotateSigningKey,
    test_webhook: testWebhook,
    redeliver_webhook: redeliverWebhook,
    recover_webhook: recoverWebhook,
  },
  receivers: { subscription_failing: subscriptionFailing },
} satisfies Feature
