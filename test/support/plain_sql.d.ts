/** Tests may run plain texts. The product may not: `tsconfig.product.json` leaves this out. */
declare module '../../storage/database/database.ts' {
  interface Database {
    execute<Row = Record<string, unknown>>(text: string, params?: readonly unknown[]): Promise<Row[]>
  }
}

declare module '../../storage/database/entity_manager.ts' {
  interface EntityManager {
    execute<Rows = Record<string, unknown>[]>(text: string, params?: unknown[]): Promise<Rows>
  }
}

export {}
