/**
 * What the engine relies on in its store, proven alike over PostgreSQL (`store.test.ts`) and over the model of it that
 * simulated histories use (`test/simulation/model_store.test.ts`): a fault that the model has is one that the suite cannot see.
 */
import type { Test } from 'tap'
import { commits } from './conformance/commits.ts'
import { outages } from './conformance/outages.ts'
import { ownership } from './conformance/ownership.ts'
import { reads } from './conformance/reads.ts'
import type { Open } from './conformance/store_server.ts'

export type { Row, StoreServer } from './conformance/store_server.ts'

export function storeConformance(t: Test, open: Open): void {
  ownership(t, open)
  commits(t, open)
  reads(t, open)
  outages(t, open)
}
