import { buildIndex, inTransaction, type Migration } from './step.ts'

/** A document that is being indexed names the node that claimed it, so that its claim ends with the lease of the node. */
export const knowledgeClaims: Migration = {
  name: '0059_knowledge_claims',
  steps: [
    inTransaction('alter table knowledge_reindex add column claimed_by text collate "C"'),
    buildIndex('knowledge_reindex_claimed', 'knowledge_reindex (claimed_by) where claimed_by is not null'),
  ],
}
