import type { Providers } from '../../actors/mod.ts'
import type { ProjectLimits } from '../../storage/mod.ts'
import type { AssistantHooks } from '../routes/assistant_work.ts'
import type { Route } from '../server/route.ts'
import { agentToolAdminRoutes } from './agent_tools.ts'
import { appointmentAdminRoutes } from './appointments.ts'
import { assistantRoutes } from './assistants/assistants.ts'
import { blockRoutes } from './assistants/blocks.ts'
import { auditRoutes } from './audit.ts'
import { channelRoutes } from './channels.ts'
import { companyRoutes } from './companies.ts'
import { crmRoutes } from './crm/mod.ts'
import { deadLetterRoutes } from './dead_letters.ts'
import { knowledgeAdminRoutes } from './knowledge.ts'
import { loyaltyAdminRoutes } from './loyalty/mod.ts'
import { operatorKeyRoutes } from './operator_keys.ts'
import { projectRoutes } from './projects.ts'
import { reconcileRoutes } from './reconcile.ts'
import { tokenRoutes } from './tokens.ts'
import { userRoutes } from './users.ts'

type Options = { default_limits: ProjectLimits; providers: Providers; assistants: AssistantHooks }

/** The operator API, for operators, portals and the command line. */
export const adminRoutes = ({ default_limits, providers, assistants }: Options): Route[] => [
  ...companyRoutes,
  ...projectRoutes(default_limits),
  ...userRoutes,
  ...tokenRoutes,
  ...channelRoutes(providers),
  ...crmRoutes,
  ...agentToolAdminRoutes,
  ...assistantRoutes(assistants),
  ...blockRoutes(assistants),
  ...knowledgeAdminRoutes,
  ...appointmentAdminRoutes,
  ...loyaltyAdminRoutes,
  ...reconcileRoutes,
  ...deadLetterRoutes,
  ...auditRoutes,
  ...operatorKeyRoutes,
]
