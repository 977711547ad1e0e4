/**
 * The rules of the store that the engine relies on, proven alike over PostgreSQL (`store.test.ts`) and over the model
 * that simulated histories use (`test/simulation/model_store.test.ts`). A fault of the model is a fault that this suite
 * cannot see.
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
