export { freePort } from '../../runtime/servers/port.ts'
export { startUp } from '../run/start_up.ts'
export { startAssistantService } from './assistant_service.ts'
export {
  copiedDatabaseUrl,
  emptyDatabaseUrl,
  sharedDatabase,
  TEST_SECRET,
  type TestDatabase,
  testDatabase,
  testDatabaseUrl,
} from './database.ts'
export { everyOutcome, type Race, type Start } from './every_outcome.ts'
export { forged } from './forged.ts'
export { holdTable } from './held_table.ts'
export { leaked, leakReporter } from './leak_reporter.ts'
export { type PrivateNats, plainNats, privateNats, privateNatsCluster, type TestNats, testNats } from './nats.ts'
export type { Owner } from './owner.ts'
export { plainQuery } from './plain_query.ts'
export { type PrivatePostgres, privatePostgres } from './postgres.ts'
export { type PairServer, type PostgresPair, postgresPair } from './postgres_pair.ts'
export { startS3 } from './s3.ts'
export { sharedServers } from './servers.ts'
export { startSmtp } from './smtp.ts'
export { tempDir } from './temp_dir.ts'
export { isWalk } from './walk.ts'
