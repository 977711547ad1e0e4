import type { Route } from '../route.ts'
import { meRoutes } from './me.ts'
import { messageRoutes } from './messages.ts'
import { type ProviderHook, providerRoutes } from './providers.ts'
import { templateRoutes } from './templates.ts'
import type { AllowUrl } from './webhook_fields.ts'
import { webhookRoutes } from './webhooks.ts'

export type ApiHooks = {
  /** Takes what providers report. */
  provider: ProviderHook
  /** Whether a subscription may be delivered over plain HTTP to this address. */
  allow_url: AllowUrl
}

/** The whole public API, in the order its description lists it. */
export function apiRoutes({ provider, allow_url }: ApiHooks): Route[] {
  return [...meRoutes, ...messageRoutes, ...templateRoutes, ...webhookRoutes(allow_url), ...providerRoutes(provider)]
}
