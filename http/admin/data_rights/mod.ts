import type { BlobStore, ConfiguredDays } from '../../../storage/mod.ts'
import type { Route } from '../../server/route.ts'
import { erasureRoutes } from './erasures.ts'
import { exportRoutes } from './exports.ts'
import { retentionRoutes } from './retention.ts'

/** Data rights: exports, erasures, and how long records are kept. */
export const dataRightsRoutes = (configured: ConfiguredDays, blobs: BlobStore): Route[] => [
  ...exportRoutes(blobs),
  ...erasureRoutes,
  ...retentionRoutes(configured),
]
