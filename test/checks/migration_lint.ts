/** The check of migrations in `npm run check`: squawk, our own rules, and the exceptions from both. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type Migration, type Step, statementsOf } from '../../storage/migrations/step.ts'
import { type Finding, migrationViolations } from './migration_rules.ts'

/** The oldest supported PostgreSQL. */
const PG_VERSION = '15.0'

const NOT_ASKED = [
  // The runner sets these time-outs for each step.
  'require-lock-timeout',
  'require-statement-timeout',
  // The runner does each step once, even when a run is cut off.
  'prefer-robust-stmts',
  // Our own rule `still-in-use` knows the release that may do this.
  'ban-drop-column',
  'ban-drop-table',
  'renaming-column',
  'renaming-table',
  // This is a matter of taste, or depends on the values of the column.
  'prefer-bigint-over-int',
  'prefer-bigint-over-smallint',
  'prefer-text-field',
]

/** A rule that a migration may break, and why. */
export type Exception = { migration: string; rule: string; reason: string }

const beforeUpgrades = 'It shipped before the first release that promises upgrades beside running nodes.'
const widens = 'Taking the precision off a numeric rewrites nothing, and older nodes read and write it as before.'

const exceptions: readonly Exception[] = [
  { migration: '0004_deliveries', rule: 'require-concurrent-index-deletion', reason: beforeUpgrades },
  { migration: '0004_deliveries', rule: 'still-in-use', reason: beforeUpgrades },
  { migration: '0004_deliveries', rule: 'column-with-constraint', reason: beforeUpgrades },
  { migration: '0004_deliveries', rule: 'hidden-work', reason: beforeUpgrades },
  { migration: '0004_deliveries', rule: 'one-table', reason: beforeUpgrades },
  { migration: '0016_ticket_amount', rule: 'changing-column-type', reason: widens },
  { migration: '0016_ticket_amount', rule: 'still-in-use', reason: widens },
  {
    migration: '0103_request_ids',
    rule: 'require-concurrent-index-creation',
    reason: 'On the parent alone (`only`) it reads no row, and tables of further days get theirs as they are made.',
  },
  {
    migration: '0103_request_ids',
    rule: 'hidden-work',
    reason: 'It makes indexes of empty tables, those of the coming days. No table in use gets one.',
  },
]

/** Returns one sentence for each rule that a migration breaks, and for each exception that is not needed. */
export async function lintMigrations(
  root: string,
  migrations: readonly Migration[],
  release: string,
  allowed: readonly Exception[] = exceptions,
): Promise<string[]> {
  const found = [...squawk(root, migrations), ...(await migrationViolations(migrations, release))]
  const excepts = (finding: Finding) => (one: Exception) =>
    one.migration === finding.migration && one.rule === finding.rule
  const broken = found.filter((finding) => !allowed.some(excepts(finding)))
  const idle = allowed.filter((one) => !found.some((finding) => excepts(finding)(one)))
  return [
    ...broken.map(
      ({ migration, rule, message, statement }) => `${migration}: ${rule}: ${message}\n  ${excerpt(statement)}`,
    ),
    ...idle.map(({ migration, rule }) => `${migration}: the exception from ${rule} is not needed`),
  ]
}

type Squawk = { file: string; line: number; line_end: number; rule_name: string; message: string }

function squawk(root: string, migrations: readonly Migration[]): Finding[] {
  const directory = mkdtempSync(join(tmpdir(), 'parley-migrations-'))
  try {
    const texts = new Map(migrations.map(({ name, steps }) => [name, steps.map(textOf).join('\n')]))
    const files = [...texts].map(([name, text]) => {
      const file = join(directory, `${name}.sql`)
      writeFileSync(file, text)
      return file
    })
    const options = ['--reporter', 'json', '--pg-version', PG_VERSION, '--exclude', NOT_ASKED.join(',')]
    const { stdout, stderr, error } = spawnSync(join(root, 'node_modules/.bin/squawk'), [...options, ...files], {
      encoding: 'utf8',
      maxBuffer: 100_000_000,
    })
    if (error) throw error
    if (!stdout.startsWith('[')) throw new Error(`squawk: ${stderr || stdout}`)
    return (JSON.parse(stdout) as Squawk[]).map(({ file, line, line_end, rule_name, message }) => {
      const migration = basename(file, '.sql')
      const lines = texts.get(migration)!.split('\n')
      return { migration, rule: rule_name, message, statement: lines.slice(line, line_end + 1).join('\n') }
    })
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** Returns the SQL as the runner executes it, with its transactions. */
function textOf(step: Step): string {
  const statements = statementsOf(step).map((statement) => `${statement};\n`)
  const is_outside = step.kind === 'index' || step.kind === 'index_drop'
  return is_outside ? statements.join('') : `begin;\n${statements.join('')}commit;\n`
}

function excerpt(statement: string): string {
  const line = statement.trim().replaceAll(/\s+/g, ' ')
  return line.length > 160 ? `${line.slice(0, 159)}…` : line
}
