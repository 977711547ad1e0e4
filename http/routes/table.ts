import type { Providers, WhatsAppClient, WhatsAppFlows, WhatsAppTemplates } from '../../actors/mod.ts'
import type { Route } from '../server/route/route.ts'
import { section } from '../server/route/section.ts'
import { agentToolRoutes } from './agent_tools/agent_tools.ts'
import type { ToolHooks } from './agent_tools/work.ts'
import { appointmentRoutes } from './appointments/appointments.ts'
import { agentRoutes } from './assistants/agents.ts'
import { assistantRoutes } from './assistants/assistants.ts'
import { blockRoutes } from './assistants/blocks.ts'
import { testSetRoutes } from './assistants/test_sets.ts'
import type { AssistantHooks } from './assistants/work.ts'
import { broadcastRoutes } from './broadcasts/broadcasts.ts'
import { contactRoutes } from './customers/contacts.ts'
import { customerRoutes } from './customers/customers.ts'
import { crmEventRoutes } from './customers/events.ts'
import { noteRoutes } from './customers/notes.ts'
import { timelineRoutes } from './customers/timeline.ts'
import { flowRoutes } from './flows/flows.ts'
import { knowledgeImportRoutes } from './knowledge/imports.ts'
import { knowledgeRoutes } from './knowledge/knowledge.ts'
import { loyaltyRoutes } from './loyalty/loyalty.ts'
import { type MediaHooks, mediaRoutes } from './media/media.ts'
import { costRoutes } from './messages/costs.ts'
import { messageRoutes } from './messages/messages.ts'
import { whatsappMessageRoutes } from './messages/whatsapp_messages.ts'
import type { AllowUrl } from './outbound_fields.ts'
import type { WebhookPolls } from './polls/polls.ts'
import { type ProviderHook, providerRoutes } from './providers/providers.ts'
import { crmSearchRoutes } from './search/search.ts'
import { tagRoutes } from './tags.ts'
import { templateRoutes } from './templates/templates.ts'
import { pipelineRoutes } from './tickets/pipelines.ts'
import { ticketRoutes } from './tickets/tickets.ts'
import { type LeakHooks, leakRoutes } from './tokens/leaked_tokens.ts'
import { meRoutes } from './tokens/me.ts'
import { userRoutes } from './users.ts'
import { webhookRoutes } from './webhooks/webhooks.ts'

export type ApiHooks = {
  /** Takes reports of providers. */
  provider: ProviderHook
  /** Decides about plain HTTP to the address of a subscription. */
  allow_url: AllowUrl
  /** Operations at the provider while the client waits. */
  whatsapp: { client: WhatsAppClient; flows: WhatsAppFlows; templates: WhatsAppTemplates }
  /** Changes at the provider of a channel, whichever it is. */
  providers: Providers
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
  providers,
  tools,
  assistants,
  media,
  polls,
  leaks,
}: ApiHooks): Route[] {
  return [
    ...section('Identity', 'The caller: the user, project, company and scopes of a token.', meRoutes),
    ...section('Contacts', 'The people who write on channels.', contactRoutes(providers)),
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
      ...costRoutes,
      ...messageRoutes,
      ...whatsappMessageRoutes(whatsapp.client),
    ]),
    ...section('Broadcasts', 'One template to up to 5000 recipients.', broadcastRoutes),
    ...section('Media', 'Files for messages, and files that people sent.', mediaRoutes(media)),
    ...section(
      'Templates',
      'The message templates of WhatsApp.',
      templateRoutes({ templates: whatsapp.templates, media }),
    ),
    ...section('Flows', 'Interactive forms inside WhatsApp.', flowRoutes(whatsapp.flows)),
    ...section('Agent tools', 'Addresses of yours that assistants call.', agentToolRoutes(tools, allow_url)),
    ...section('Agents', 'Assistants as holders of tools.', agentRoutes(assistants)),
    ...section('Assistants', 'AI assistants, made of blocks of instructions.', assistantRoutes(assistants)),
    ...section('Test sets', 'Expectations of assistants, and runs that try them.', testSetRoutes),
    ...section('Blocks', 'Reusable instructions of assistants, with their versions.', blockRoutes(assistants)),
    ...section('Scheduling', 'Appointments and their confirmation.', appointmentRoutes),
    ...section('Webhooks', 'Subscriptions to events, and their deliveries.', webhookRoutes(allow_url, polls)),
    ...providerRoutes(provider),
    ...leakRoutes(leaks),
  ]
}
