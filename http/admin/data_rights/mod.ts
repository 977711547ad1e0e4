import type { Route } from '../../server/route.ts'
import { erasureRoutes } from './erasures.ts'
import { retentionRoutes } from './retention.ts'

/** Data rights: erasures, and how long records are kept. `configured_days`: PARLEY_RETENTION_DAYS. */
export const dataRightsRoutes = (configured_days: number): Route[] => [
  ...erasureRoutes,
  ...retentionRoutes(configured_days),
]
