/**
 * The rules for migrations that squawk does not know: they run beside nodes of the release before, and they have a form
 * of their own.
 */
import { type AlterTableCmd, loadModule, type Node, parseSync, type RawStmt } from 'libpg-query'
import { type Migration, type Step, statementsOf } from '../../storage/migrations/step.ts'

export type Finding = { migration: string; rule: string; message: string; statement: string }

const messages = {
  'still-in-use': 'nodes of the release before use it: remove it a release later, by removeUnused',
  'unused-since': 'removeUnused has to name a release before this one, whose nodes may still run',
  'whole-table': 'this locks all rows that it changes until it ends: use inBatches',
  'hidden-work': 'a call hides from this check what it does: write the statements',
  'column-with-constraint':
    'this reads the table under a lock: add the column, then the constraint not valid, and validate it in a step of its own',
  'validate-apart': 'validating reads the table and keeps the locks of its transaction: give it a step of its own',
  'one-table':
    'it locks several tables that are in use, so it may have to wait for one while it keeps others: cut it up',
  'unknown-change': 'nobody has thought about what this locks and who still needs it: do so, and teach this check',
  'outside-a-step': 'this cannot be in a transaction: use buildIndex or dropIndex',
}
export type Rule = keyof typeof messages

const HARMLESS = new Set(['CreateFunctionStmt', 'CreateExtensionStmt', 'CommentStmt', 'CreateSeqStmt'])
const HIDING = new Set(['SelectStmt', 'DoStmt', 'CallStmt'])
/** Changes that lock the table only for a moment, or that squawk judges. */
const HARMLESS_CHANGES = new Set([
  'AT_AddConstraint',
  'AT_DropConstraint',
  'AT_ColumnDefault',
  'AT_DropNotNull',
  'AT_SetNotNull',
  'AT_SetStorage',
  'AT_SetStatistics',
  'AT_SetRelOptions',
  'AT_ResetRelOptions',
  'AT_ReplicaIdentity',
])
const HARMLESS_CONSTRAINTS = new Set(['CONSTR_NOTNULL', 'CONSTR_NULL', 'CONSTR_DEFAULT'])

/** `release` is the one that ships the migrations, such as `0.1.0`. */
export async function migrationViolations(migrations: readonly Migration[], release: string): Promise<Finding[]> {
  await loadModule()
  return migrations.flatMap(({ name, steps }) => {
    const made = new Set<string>()
    return steps
      .flatMap((step) => new StepCheck(step, made, release).run())
      .map((finding) => ({ migration: name, ...finding }))
  })
}

class StepCheck {
  readonly #step: Step
  /** Tables that the migration has made so far. They are empty, and nobody uses them. */
  readonly #made: Set<string>
  readonly #release: string
  readonly #locked = new Set<string>()
  readonly #found: Omit<Finding, 'migration'>[] = []
  #statement = ''
  #count = 0

  constructor(step: Step, made: Set<string>, release: string) {
    this.#step = step
    this.#made = made
    this.#release = release
  }

  run(): Omit<Finding, 'migration'>[] {
    const parsed = statementsOf(this.#step).flatMap((sql) => {
      const { stmts = [] } = parseSync(sql) as { stmts?: RawStmt[] }
      return stmts.map(({ stmt }) => ({ sql, stmt: stmt! }))
    })
    this.#count = parsed.length
    for (const { sql, stmt } of parsed) {
      this.#statement = sql
      this.#check(stmt)
      if (this.#step.kind !== 'batches') this.#changesOf(stmt)
    }
    if (this.#locked.size > 1) this.#say('one-table')
    if (this.#step.kind === 'transaction' && this.#step.unused_since !== undefined) {
      if (!isBefore(this.#step.unused_since, this.#release)) this.#say('unused-since')
    }
    return this.#found
  }

  #say(rule: Rule): void {
    this.#found.push({ rule, message: messages[rule], statement: this.#statement })
  }

  /** Finds tables and columns that are removed, renamed or retyped. */
  #remove(): void {
    if (this.#step.kind !== 'transaction' || this.#step.unused_since === undefined) this.#say('still-in-use')
  }

  /** Returns true for a table that nodes may use. */
  #uses(table: string | undefined): boolean {
    return table !== undefined && !this.#made.has(table)
  }

  #check(node: Node): void {
    const [kind, body] = Object.entries(node)[0] as [string, Body]
    const table = body.relation?.relname
    if (kind === 'CreateStmt') this.#create(body)
    else if (kind === 'AlterTableStmt') this.#alter(body)
    else if (kind === 'CreateTrigStmt') this.#lock(table)
    else if (kind === 'RenameStmt') {
      this.#lock(table)
      if (body.renameType !== 'OBJECT_INDEX' && this.#uses(table)) this.#remove()
    } else if (kind === 'DropStmt') this.#drop(body)
    else if (kind === 'IndexStmt') {
      if (body.concurrent && this.#step.kind === 'transaction') this.#say('outside-a-step')
    } else if (HIDING.has(kind)) this.#say('hidden-work')
    else if (!HARMLESS.has(kind) && !CHANGES.has(kind)) this.#say('unknown-change')
  }

  #lock(table: string | undefined): void {
    if (table !== undefined && this.#uses(table)) this.#locked.add(table)
  }

  #create({ relation, inhRelations }: Body): void {
    if (inhRelations?.some((parent) => this.#uses(bodyOf(parent).relname))) this.#say('unknown-change')
    this.#made.add(relation!.relname!)
  }

  #drop({ removeType, objects = [], concurrent }: Body): void {
    if (removeType === 'OBJECT_INDEX') {
      if (concurrent && this.#step.kind === 'transaction') this.#say('outside-a-step')
      return
    }
    const tables = objects.map((object) => {
      const items = bodyOf(object).items
      return items && bodyOf(items.at(-1)!).sval
    })
    if (removeType !== 'OBJECT_TABLE' || tables.some((table) => this.#uses(table))) this.#remove()
    if (removeType === 'OBJECT_TABLE') for (const table of tables) this.#lock(table)
  }

  #alter({ relation, cmds = [] }: Body): void {
    if (!this.#uses(relation?.relname)) return
    this.#lock(relation?.relname)
    for (const node of cmds) {
      const { subtype = '', def } = bodyOf(node) as AlterTableCmd
      if (subtype === 'AT_AddColumn') {
        const constraints = bodyOf(def!).constraints ?? []
        if (constraints.some((one) => !HARMLESS_CONSTRAINTS.has(bodyOf(one).contype ?? ''))) {
          this.#say('column-with-constraint')
        }
      } else if (subtype === 'AT_ValidateConstraint') {
        if (this.#count > 1 || cmds.length > 1) this.#say('validate-apart')
      } else if (subtype === 'AT_DropColumn' || subtype === 'AT_AlterColumnType') this.#remove()
      else if (!HARMLESS_CHANGES.has(subtype)) this.#say('unknown-change')
    }
  }

  /** Finds changes of rows, also inside other statements. */
  #changesOf(node: unknown): void {
    if (typeof node !== 'object' || node === null) return
    for (const [key, value] of Object.entries(node as Record<string, unknown>)) {
      if (CHANGES.has(key) && this.#isWide(key, value as Body)) this.#say('whole-table')
      this.#changesOf(value)
    }
  }

  #isWide(kind: string, { relation, selectStmt }: Body): boolean {
    if (!this.#uses(relation?.relname)) return false
    return kind !== 'InsertStmt' || (selectStmt !== undefined && bodyOf(selectStmt).fromClause !== undefined)
  }
}

const CHANGES = new Set(['InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt'])

/** The fields that this file reads, of nodes of all kinds. */
type Body = {
  relation?: { relname?: string }
  relname?: string
  renameType?: string
  removeType?: string
  concurrent?: boolean
  objects?: Node[]
  items?: Node[]
  sval?: string
  cmds?: Node[]
  inhRelations?: Node[]
  constraints?: Node[]
  contype?: string
  selectStmt?: Node
  fromClause?: Node[]
}

function bodyOf(node: Node): Body {
  return Object.values(node)[0] as Body
}

/** Compares versions by their numbers: `1.2.3` is before `1.10.0`. */
function isBefore(one: string, other: string): boolean {
  const [left, right] = [one, other].map((release) => release.split('.').map(Number))
  for (const [place, number] of left!.entries()) {
    if (number !== right![place]) return number < (right![place] ?? 0)
  }
  return false
}
