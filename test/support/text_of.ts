import type { Sql } from '../../storage/mod.ts'

/** The text of a statement of the product, or of a test. */
export function textOf(statement: Sql | string): string {
  return typeof statement === 'string' ? statement : statement.sql
}
