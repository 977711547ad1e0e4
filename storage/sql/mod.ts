export { advisoryLock } from './advisory_locks.ts'
export { literal, type Sql, sql } from './sql.ts'
export { type Param, plain, planned, type Statement } from './statement.ts'
