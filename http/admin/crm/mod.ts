import type { Route } from '../../route.ts'
import { customerRoutes } from './customers.ts'
import { eventTypeRoutes } from './event_types.ts'

/** What operators set up for the CRM. */
export const crmRoutes: Route[] = [...eventTypeRoutes, ...customerRoutes]
