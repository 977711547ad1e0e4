import type { ProjectLimits } from '../../storage/mod.ts'
import type { Route } from '../route.ts'
import { channelRoutes } from './channels.ts'
import { companyRoutes } from './companies.ts'
import { projectRoutes } from './projects.ts'
import { reconcileRoutes } from './reconcile.ts'
import { tokenRoutes } from './tokens.ts'
import { userRoutes } from './users.ts'

/** The operator API: what a portal would do, for operators and for the command line. */
export const adminRoutes = ({ default_limits }: { default_limits: ProjectLimits }): Route[] => [
  ...companyRoutes,
  ...projectRoutes(default_limits),
  ...userRoutes,
  ...tokenRoutes,
  ...channelRoutes,
  ...reconcileRoutes,
]
