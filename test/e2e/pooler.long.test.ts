/** A pooler that shares connections between transactions is found by doctor, and told by a node. */
import { spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createLog } from '../../http/server/log.ts'
import { run } from '../cli/command.ts'
import { freePort, type Owner, tempDir, testDatabaseUrl } from '../support/mod.ts'
import { eventually } from './client.ts'
import { startWorld } from './fixture.ts'
import { connects } from './proxy_programs.ts'

/** Where Debian's package has it. */
const PROGRAM = '/usr/sbin/pgbouncer'

/** Starts PgBouncer in front of a database. Resolves to the address through it. */
async function startPooler(t: Owner, url: string, mode: string): Promise<string> {
  const { hostname, port, username, password, pathname } = new URL(url)
  const own = await freePort()
  const to = { host: hostname, port, user: username, password: decodeURIComponent(password), dbname: pathname.slice(1) }
  const file = join(tempDir(t), 'pgbouncer.ini')
  const target = Object.entries(to).map(([name, value]) => `${name}=${value}`)
  const lines = ['[databases]', `pooled = ${target.join(' ')}`, '[pgbouncer]', `pool_mode = ${mode}`]
  lines.push('listen_addr = 127.0.0.1', `listen_port = ${own}`, 'auth_type = any', 'unix_socket_dir =')
  writeFileSync(file, `${lines.join('\n')}\n`)
  // It refuses to run as root.
  const account = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn(PROGRAM, [...account, file], { stdio: 'ignore' })
  const ended = new Promise((resolve) => child.once('close', resolve))
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
  })
  await eventually('it accepts connections', () => connects(own))
  return `postgres://${username}:${password}@127.0.0.1:${own}/pooled`
}

const SHARED = /pool_mode=transaction/
const cases = [
  { mode: 'transaction', is_told: true },
  { mode: 'session', is_told: false },
]
for (const { mode, is_told } of existsSync(PROGRAM) ? cases : []) {
  t.test(`a pooler with pool_mode=${mode} is ${is_told ? 'told' : 'no trouble'}`, async (t) => {
    const url = await startPooler(t, await testDatabaseUrl(t), mode)
    const { out } = await run(['doctor', '--json'], {
      DATABASE_URL: url,
      PARLEY_DATA_DIR: tempDir(t),
      PARLEY_PORT: String(await freePort()),
    })
    const { findings } = JSON.parse(out) as { findings: { status: string; name: string; text: string }[] }
    const told = findings.filter(({ text }) => SHARED.test(text)).map(({ status, name }) => ({ status, name }))
    t.strictSame(told, is_told ? [{ status: 'fail', name: 'postgres' }] : [], out)
    // A node of its own, because it has another way to the database.
    const lines: string[] = []
    const log = createLog('warn', { write: (line) => void lines.push(line) })
    const world = await startWorld(t, { config: { database_url: url }, log })
    const { body } = await world.http('GET', `${world.base_url}/ready`)
    t.equal(
      (body.warnings ?? []).some((warning: string) => SHARED.test(warning)),
      is_told,
    )
    t.equal(lines.filter((line) => SHARED.test(line)).length, is_told ? 1 : 0)
  })
}
if (!existsSync(PROGRAM)) t.pass(`${PROGRAM} is not installed here, so no pooler was tried`)
