import type { Route } from '../route.ts'
import { channelRoutes } from './channels.ts'
import { companyRoutes } from './companies.ts'
import { projectRoutes } from './projects.ts'
import { tokenRoutes } from './tokens.ts'
import { userRoutes } from './users.ts'

/** The operator API: what a portal would do, for operators and for the command line. */
export const adminRoutes: Route[] = [
  ...companyRoutes,
  ...projectRoutes,
  ...userRoutes,
  ...tokenRoutes,
  ...channelRoutes,
]
