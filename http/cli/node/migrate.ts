import type { Command } from 'commander'
import { withExamples } from '../options/examples.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { printJson, printLine, remark } from '../terminal/terminal.ts'
import { reasonOf } from './database_reason.ts'

export function addMigrateCommand(program: Command): void {
  const command = program
    .command('migrate')
    .summary('bring the tables of DATABASE_URL up to date')
    .description(
      'Migrates the tables of the PostgreSQL that DATABASE_URL names and lists the applied migrations. Every start ' +
        'of Parley does the same; use this command to migrate before the start. Several may run at once, and nodes ' +
        'may work meanwhile. Progress is written to standard error.',
    )
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const { migrate, openDatabase, parsePostgresUrl } = await import('../../../storage/mod.ts')
      const url = databaseUrl(parsePostgresUrl)
      const database = await explained(openDatabase({ url, pool_size: 2 }))
      try {
        const log = (fields: object, text: string) => remark(described(text, fields))
        const applied = await explained(migrate(database, { log }))
        if (json) printJson({ applied })
        else if (applied.length === 0) printLine('The database is up to date: there was nothing to apply.')
        else printLine(`Applied ${applied.length}:\n${applied.map((name) => `  ${name}`).join('\n')}`)
      } finally {
        await database.close()
      }
    })
  withExamples(command, ['DATABASE_URL=postgres://parley:secret@db/parley parley migrate'])
}

/** `check` throws an Error whose text continues the variable. */
function databaseUrl(check: (url: string) => void): string {
  const url = process.env.DATABASE_URL
  if (!url) {
    throw new CommandFailure(
      'DATABASE_URL is not set: name the PostgreSQL to migrate (an embedded one is migrated by every start).',
    )
  }
  try {
    check(url)
  } catch (error) {
    throw new CommandFailure(`DATABASE_URL ${(error as Error).message}.`)
  }
  return url
}

/** A line of the log for people: `migrating the database: migration 0008_contact_windows, step 2, of 2, rows 1000`. */
function described(text: string, fields: object): string {
  const known = Object.entries(fields).filter(([, value]) => value !== null)
  const details = known.map(([name, value]) => `${name.replaceAll('_', ' ')} ${value}`)
  return details.length === 0 ? text : `${text}: ${details.join(', ')}`
}

async function explained<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw new CommandFailure(`The database of DATABASE_URL refuses: ${reasonOf(error)}.`)
  }
}
