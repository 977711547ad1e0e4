import type { Route } from '../../server/route.ts'
import { retentionRoutes } from './retention.ts'

/** Data rights: how long records are kept. `configured_days`: PARLEY_RETENTION_DAYS. */
export const dataRightsRoutes = (configured_days: number): Route[] => [...retentionRoutes(configured_days)]
