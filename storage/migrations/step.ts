/**
 * The steps of a migration. Nodes of the release before work beside every migration, so each step must be safe for
 * tables in use; `npm run check` refuses the others (test/checks/migration_rules.ts).
 */
export type Migration = {
  /** Stored in the database when all steps are done: never rename one that has shipped. */
  name: string
  /** Run in this order, each once. An interrupted migration continues with the first step that is not done. */
  steps: readonly Step[]
}

export type Step = Transaction | IndexBuild | IndexDrop | Batches

/** Statements that commit together, with the record that the step is done. */
export type Transaction = {
  kind: 'transaction'
  statements: readonly string[]
  /** The release whose code no longer uses what the step removes, renames or retypes. */
  unused_since?: string
}

/** An index built beside writers. It may take hours, and waits for transactions that began before it. */
export type IndexBuild = { kind: 'index'; name: string; on: string; is_unique: boolean }

export type IndexDrop = { kind: 'index_drop'; name: string }

/** A change of many rows in batches. */
export type Batches = { kind: 'batches'; table: string; key: string; set: string; where: string }

/** Short statements in one transaction. It may alter one existing table, and any number of new ones. */
export function inTransaction(...statements: string[]): Transaction {
  return { kind: 'transaction', statements }
}

/**
 * Removes, renames or retypes columns and tables that the code of an earlier release stopped using.
 *
 * @param unused_since that release. It has to be older than the one the migration ships with, because nodes of the
 * release before are still running.
 */
export function removeUnused(unused_since: string, ...statements: string[]): Transaction {
  return { kind: 'transaction', statements, unused_since }
}

/** Builds an index of an existing table. `on` is the rest of the statement: `contact (project_id, _id desc)`. */
export function buildIndex(name: string, on: string, { is_unique = false } = {}): IndexBuild {
  return { kind: 'index', name, on, is_unique }
}

/** Drops an index that neither this release nor the one before needs. */
export function dropIndex(name: string): IndexDrop {
  return { kind: 'index_drop', name }
}

/**
 * Updates the rows that were in the table when the step began, in the order of `key` and in transactions of about 100
 * ms. Later rows, and writes of older nodes meanwhile, need a trigger or a default from an earlier step.
 *
 * @param key the primary key, of one column of text or whole numbers
 */
export function inBatches(work: { table: string; key: string; set: string; where: string }): Batches {
  return { kind: 'batches', ...work }
}

/** The statements of a step as PostgreSQL gets them; for batches, one example. */
export function statementsOf(step: Step): readonly string[] {
  switch (step.kind) {
    case 'transaction':
      return step.statements
    case 'index':
      return [`create ${step.is_unique ? 'unique ' : ''}index concurrently ${step.name} on ${step.on}`]
    case 'index_drop':
      return [`drop index concurrently if exists ${step.name}`]
    case 'batches':
      return [batchStatement(step, `''`, `''`)]
  }
}

/** Updates the rows whose keys are greater than one literal and at most the other. */
export function batchStatement({ table, key, set, where }: Batches, after: string | null, up_to: string): string {
  const from = after === null ? '' : `${key} > ${after} and `
  return `update ${table} set ${set} where ${from}${key} <= ${up_to} and (${where})`
}
