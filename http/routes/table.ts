import type { WhatsAppClient, WhatsAppFlows } from '../../actors/mod.ts'
import type { Route } from '../server/route.ts'
import type { ToolHooks } from './agent_tool_work.ts'
import { agentToolRoutes } from './agent_tools.ts'
import { agentRoutes } from './agents.ts'
import { appointmentRoutes } from './appointments.ts'
import type { AssistantHooks } from './assistant_work.ts'
import { assistantRoutes } from './assistants.ts'
import { blockRoutes } from './blocks.ts'
import { broadcastRoutes } from './broadcasts.ts'
import { contactRoutes } from './contacts.ts'
import { crmEventRoutes } from './crm_events.ts'
import { crmSearchRoutes } from './crm_search.ts'
import { customerRoutes } from './customers.ts'
import { flowRoutes } from './flows.ts'
import { knowledgeRoutes } from './knowledge.ts'
import { knowledgeImportRoutes } from './knowledge_imports.ts'
import { type LeakHooks, leakRoutes } from './leaked_tokens.ts'
import { loyaltyRoutes } from './loyalty.ts'
import { meRoutes } from './me.ts'
import { type MediaHooks, mediaRoutes } from './media.ts'
import { messageRoutes } from './messages.ts'
import { noteRoutes } from './notes.ts'
import type { AllowUrl } from './outbound_fields.ts'
import type { WebhookPolls } from './polls/polls.ts'
import { type ProviderHook, providerRoutes } from './providers.ts'
import { templateRoutes } from './templates.ts'
import { ticketRoutes } from './tickets.ts'
import { timelineRoutes } from './timeline.ts'
import { webhookRoutes } from './webhooks.ts'
import { whatsappMessageRoutes } from './whatsapp_messages.ts'

export type ApiHooks = {
  /** Takes reports of providers. */
  provider: ProviderHook
  /** Decides about plain HTTP to the address of a subscription. */
  allow_url: AllowUrl
  /** Operations at the provider while the client waits. */
  whatsapp: { client: WhatsAppClient; flows: WhatsAppFlows }
  /** Calls tools of agents. */
  tools: ToolHooks
  /** The service that runs assistants, and their models. */
  assistants: AssistantHooks
  /** The stores of files. */
  media: MediaHooks
  /** Polls of webhook subscriptions. */
  polls: Pick<WebhookPolls, 'poll'>
  /** Reports of leaked tokens. Without keys all are refused. */
  leaks?: LeakHooks
}

/** The whole public API, in the order of its description. */
export function apiRoutes({
  provider,
  allow_url,
  whatsapp,
  tools,
  assistants,
  media,
  polls,
  leaks,
}: ApiHooks): Route[] {
  return [
    ...meRoutes,
    ...contactRoutes,
    ...crmSearchRoutes,
    ...customerRoutes,
    ...ticketRoutes,
    ...timelineRoutes,
    ...crmEventRoutes,
    ...noteRoutes,
    ...knowledgeRoutes,
    ...knowledgeImportRoutes({ allow_url, ...media }),
    ...loyaltyRoutes,
    ...messageRoutes,
    ...whatsappMessageRoutes(whatsapp.client),
    ...broadcastRoutes,
    ...mediaRoutes(media),
    ...templateRoutes,
    ...flowRoutes(whatsapp.flows),
    ...agentToolRoutes(tools, allow_url),
    ...agentRoutes(assistants),
    ...assistantRoutes(assistants),
    ...blockRoutes(assistants),
    ...appointmentRoutes,
    ...webhookRoutes(allow_url, polls),
    ...providerRoutes(provider),
    ...leakRoutes(leaks),
  ]
}
