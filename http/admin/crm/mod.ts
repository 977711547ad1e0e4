import type { Route } from '../../server/route/route.ts'
import { cannedResponseRoutes } from './canned_responses.ts'
import { customFieldRoutes } from './custom_fields.ts'
import { customerRoutes } from './customers.ts'
import { eventTypeRoutes } from './event_types.ts'
import { pipelineRoutes } from './pipelines.ts'
import { stageRoutes } from './stages.ts'
import { tagRoutes } from './tags.ts'

/** The operator routes of the CRM. */
export const crmRoutes: Route[] = [
  ...eventTypeRoutes,
  ...customFieldRoutes,
  ...customerRoutes,
  ...tagRoutes,
  ...pipelineRoutes,
  ...stageRoutes,
  ...cannedResponseRoutes,
]
