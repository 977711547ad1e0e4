export { type ClusterRow, claimCluster, readCluster, resumeCluster, warningOfQuiet } from './cluster_row.ts'
export { warningOfPooling } from './pooling.ts'
