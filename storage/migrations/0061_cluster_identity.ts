import { inTransaction, type Migration } from './step.ts'

/**
 * A database knows the cluster that it belongs to, and its place: a copy elsewhere is another cluster, and quiet. Clusters
 * of the time before have no identity, because their nodes of the release before could not reach those of this one.
 */
export const clusterIdentity: Migration = {
  name: '0061_cluster_identity',
  steps: [
    inTransaction(
      `alter table cluster add column identity text, add column home text, add column quiet_since timestamptz`,
    ),
  ],
}
