import type { BlobStore, ConfiguredDays } from '../../../storage/mod.ts'
import type { Route } from '../../server/route/route.ts'
import { section } from '../../server/route/section.ts'
import { erasureRoutes } from './erasures.ts'
import { exportRoutes } from './exports.ts'
import { retentionRoutes } from './retention.ts'

/** Data rights: exports, erasures, and how long records are kept. */
export const dataRightsRoutes = (configured: ConfiguredDays, blobs: BlobStore): Route[] =>
  section('Data rights', 'Exports and erasures of the data of people, and how long records are kept.', [
    ...exportRoutes(blobs),
    ...erasureRoutes,
    ...retentionRoutes(configured),
  ])
