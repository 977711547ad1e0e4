import type { Providers } from '../../actors/mod.ts'
import type { ProjectLimits } from '../../storage/mod.ts'
import type { AssistantHooks } from '../routes/assistants/work.ts'
import type { Route } from '../server/route/route.ts'
import { section } from '../server/route/section.ts'
import { auditRoutes } from './access/audit.ts'
import { companyRoutes } from './access/companies.ts'
import { operatorKeyRoutes } from './access/operator_keys.ts'
import { projectRoutes } from './access/projects.ts'
import { tokenRoutes } from './access/tokens.ts'
import { type Invitations, invitationRoute } from './access/user_invitations.ts'
import { userRoutes } from './access/users.ts'
import { agentToolAdminRoutes } from './agent_tools.ts'
import { appointmentAdminRoutes } from './appointments.ts'
import { assistantRoutes } from './assistants/assistants.ts'
import { blockRoutes } from './assistants/blocks.ts'
import { channelHistoryRoutes } from './channels/channel_history.ts'
import { channelRoutes } from './channels/channels.ts'
import { costRoutes } from './costs/costs.ts'
import { rateRoutes } from './costs/rates.ts'
import { crmRoutes } from './crm/mod.ts'
import { knowledgeAdminRoutes } from './knowledge.ts'
import { loyaltyAdminRoutes } from './loyalty/mod.ts'
import { deadLetterRoutes } from './operations/dead_letters.ts'
import { deliveryAdminRoutes } from './operations/deliveries.ts'
import { reconcileRoutes } from './operations/reconcile.ts'
import { traceRoutes } from './operations/trace.ts'

/** `operations`: names of all operations of the node, which the audit knows. */
type Options = {
  default_limits: ProjectLimits
  providers: Providers
  assistants: AssistantHooks
  operations?: ReadonlySet<string>
  invitations: Invitations
}

/** The operator API, for operators, portals and the command line. */
export const adminRoutes = ({ default_limits, providers, assistants, operations, invitations }: Options): Route[] => [
  ...section('Companies', 'Tenants of the service.', companyRoutes),
  ...section(
    'Projects',
    'The projects of a company, with their rate limits.',
    projectRoutes(default_limits, assistants),
  ),
  ...section('Users', 'The people of a company.', [...userRoutes, invitationRoute(invitations)]),
  ...section('Tokens', 'Access tokens of the public API.', tokenRoutes),
  ...section('Channels', 'Accounts at providers, over which a project sends and receives.', [
    ...channelRoutes(providers),
    ...channelHistoryRoutes(providers),
  ]),
  ...section('CRM', 'Tags, pipelines, event types, custom fields, customers and canned responses.', crmRoutes),
  ...section('Agent tools', 'The tools of all projects.', agentToolAdminRoutes),
  ...section('Assistants', 'The assistants of all projects.', assistantRoutes(assistants)),
  ...section('Blocks', 'The blocks of all projects.', blockRoutes(assistants)),
  ...section('Knowledge', 'The knowledge of all projects, and its index.', knowledgeAdminRoutes),
  ...section('Scheduling', 'Appointments, from their creation to their end.', appointmentAdminRoutes),
  ...section('Loyalty', 'Programs, memberships and movements of their ledgers.', loyaltyAdminRoutes),
  ...section('Costs', 'The rates of providers, and what messages have cost.', [...rateRoutes, ...costRoutes]),
  ...section('Webhooks', 'Deliveries of subscriptions.', [...reconcileRoutes, ...deliveryAdminRoutes]),
  ...section('Dead letters', 'Messages between actors that could not be applied.', deadLetterRoutes),
  ...section('Audit', 'The record of changes.', auditRoutes(operations)),
  ...section('Trace', 'The way of a request, told by the tables.', traceRoutes),
  ...section('Operator keys', 'Further keys for this API, with roles.', operatorKeyRoutes),
]
