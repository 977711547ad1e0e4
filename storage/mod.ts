export { type Database, type DatabaseOptions, openDatabase } from './database.ts'
export * from './entities/mod.ts'
export { migrate } from './migrate.ts'
