/** The servers of a run. Making a PostgreSQL and migrating its template takes three seconds, so a run copies those of a run before. */
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { postgresBinaries } from '../../runtime/servers/postgres.ts'
import { databaseUrl } from '../support/database_url.ts'
import { plainQuery } from '../support/plain_query.ts'
import { templateName } from '../support/template.ts'
import { type SharedServers, startTestServers } from '../support/test_servers.ts'
import { keepDraft } from './cache.ts'

/** Starts them in `data_dir`. `cache` keeps the prepared data directory for later runs. */
export async function startPreparedServers(data_dir: string, cache: string): Promise<SharedServers> {
  const prepared = await prepare(cache)
  mkdirSync(data_dir, { recursive: true })
  // PostgreSQL runs under an account of its own when the tests run as root: `-a` keeps the owner.
  execFileSync('cp', ['-a', `${prepared}/.`, data_dir])
  const servers = await startTestServers(data_dir)
  // PostgreSQL forgets at its start what the first connection to a database writes down for the others. A copy of the
  // template has it only when the template has it, and each connection to a copy without it takes 1.5 ms longer.
  await plainQuery(databaseUrl(servers.database_url, templateName()), 'select 1')
  return servers
}

async function prepare(cache: string): Promise<string> {
  const source = readFileSync(new URL('../../runtime/servers/postgres.ts', import.meta.url))
  const maker = createHash('sha256').update(postgresBinaries()).update(source).digest('hex').slice(0, 8)
  const name = `servers_${templateName()}_${maker}`
  const prepared = join(cache, name)
  if (existsSync(prepared)) return prepared
  for (const old of existsSync(cache) ? readdirSync(cache) : [])
    if (old.startsWith('servers_')) rmSync(join(cache, old), { recursive: true, force: true })
  const draft = join(cache, `draft_${process.pid}`)
  mkdirSync(dirname(draft), { recursive: true })
  await make(draft)
  keepDraft(draft, prepared)
  return prepared
}

async function make(directory: string): Promise<void> {
  const program = new URL('make_template.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [program, directory], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk) => (said += chunk))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`The databases of the tests could not be prepared:\n${said}`)
}
