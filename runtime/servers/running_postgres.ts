import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { postgresUrl } from './postgres.ts'
import { birthOf } from './process_table.ts'

/**
 * The URL of the PostgreSQL of the embedded Parley that runs on a data directory; undefined while none does. For
 * commands that work beside it.
 */
export function runningPostgresUrl(data_dir: string): string | undefined {
  try {
    const [pid, birth] = readFileSync(join(data_dir, 'parley.pid'), 'utf8').trim().split(' ')
    if (birthOf(Number(pid)) !== birth) return undefined
    const { postgres_port, postgres_password } = JSON.parse(readFileSync(join(data_dir, 'servers.json'), 'utf8'))
    return postgresUrl(postgres_port, postgres_password)
  } catch {
    return undefined
  }
}
