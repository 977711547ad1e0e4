import type { ConfiguredDays } from '../../../storage/mod.ts'
import type { Route } from '../../server/route.ts'
import { erasureRoutes } from './erasures.ts'
import { retentionRoutes } from './retention.ts'

/** Data rights: erasures, and how long records are kept. */
export const dataRightsRoutes = (configured: ConfiguredDays): Route[] => [
  ...erasureRoutes,
  ...retentionRoutes(configured),
]
