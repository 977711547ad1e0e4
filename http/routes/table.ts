import type { WhatsAppClient, WhatsAppFlows } from '../../actors/mod.ts'
import type { Route } from '../server/route.ts'
import { section } from '../server/section.ts'
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
import { pipelineRoutes } from './pipelines.ts'
import type { WebhookPolls } from './polls/polls.ts'
import { type ProviderHook, providerRoutes } from './providers.ts'
import { tagRoutes } from './tags.ts'
import { templateRoutes } from './templates.ts'
import { ticketRoutes } from './tickets.ts'
import { timelineRoutes } from './timeline.ts'
import { userRoutes } from './users.ts'
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
    ...section('Identity', 'The caller: the user, project, company and scopes of a token.', meRoutes),
    ...section('Contacts', 'The people who write on channels.', contactRoutes),
    ...section('Search', 'One search over contacts, tickets and messages.', crmSearchRoutes),
    ...section(
      'Customers',
      "The company's customers, to whom contacts of several channels can belong.",
      customerRoutes,
    ),
    ...section('Tickets', 'Conversations with their stage, owner, priority and result.', [
      ...ticketRoutes,
      ...timelineRoutes,
    ]),
    ...section('Pipelines', 'The stages through which tickets move.', pipelineRoutes),
    ...section('Tags', 'Labels of tickets.', tagRoutes),
    ...section('Users', 'The people of the company, to whom tickets can be assigned.', userRoutes),
    ...section('Timeline events', 'Events of your programs on the timeline of a ticket.', crmEventRoutes),
    ...section('Notes', 'Notes and logged interactions on contacts and tickets.', noteRoutes),
    ...section('Knowledge', 'The tree of folders and documents that assistants search.', [
      ...knowledgeRoutes,
      ...knowledgeImportRoutes({ allow_url, ...media }),
    ]),
    ...section('Loyalty', 'Programs, memberships and their ledgers.', loyaltyRoutes),
    ...section('Messages', 'Sending messages and following their status.', [
      ...messageRoutes,
      ...whatsappMessageRoutes(whatsapp.client),
    ]),
    ...section('Broadcasts', 'One template to up to 5000 recipients.', broadcastRoutes),
    ...section('Media', 'Files for messages, and files that people sent.', mediaRoutes(media)),
    ...section('Templates', 'The message templates of WhatsApp.', templateRoutes),
    ...section('Flows', 'Interactive forms inside WhatsApp.', flowRoutes(whatsapp.flows)),
    ...section('Agent tools', 'Addresses of yours that assistants call.', agentToolRoutes(tools, allow_url)),
    ...section('Agents', 'Assistants as holders of tools.', agentRoutes(assistants)),
    ...section('Assistants', 'AI assistants, made of blocks of instructions.', assistantRoutes(assistants)),
    ...section('Blocks', 'Reusable instructions of assistants, with their versions.', blockRoutes(assistants)),
    ...section('Scheduling', 'Appointments and their confirmation.', appointmentRoutes),
    ...section('Webhooks', 'Subscriptions to events, and their deliveries.', webhookRoutes(allow_url, polls)),
    ...providerRoutes(provider),
    ...leakRoutes(leaks),
  ]
}
