export { compareMigrations, migrate } from './migrate.ts'
export { TablesInUse } from './step_run.ts'
