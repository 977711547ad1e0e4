/**
 * `npm run test:scale [-- --nodes 10,100,1000 --partitions 64,4096 --seconds 20 --slowness 1 --databases n]`: fleets of
 * nodes without actors on one PostgreSQL, with the real leases and the real rebalancer. Prints the tables of
 * docs/scaling.md. Exits with 1 when two nodes held one partition under valid leases or a fleet did not settle, and
 * with 2 on wrong usage.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { endWith, readOptions } from '../support/options.ts'
import type { Outcome } from './scenarios.ts'

const usage = 'usage: npm run test:scale [-- --nodes a,b --partitions a,b --seconds s --slowness n --databases n]'
const values = readOptions(
  {
    nodes: { type: 'string', default: '10,100,1000' },
    partitions: { type: 'string', default: '64,4096' },
    seconds: { type: 'string', default: '20' },
    slowness: { type: 'string', default: '1' },
    databases: { type: 'string', default: '16' },
  },
  usage,
)
const [seconds, slowness, databases] = [values.seconds, values.slowness, values.databases].map(Number)
const [sizes, layouts] = [values.nodes, values.partitions].map((list) => list.split(',').map(Number))
const numbers = [seconds!, slowness!, databases!, ...sizes!, ...layouts!]
if (!numbers.every((number) => number > 0)) endWith(usage)

// Wrong usage is refused before the modules that take long to load.
const [{ describeMachine }, { Fleet }, { changeTable, steadyTable }, { runScenarios }, { clearServer, startServer }] =
  await Promise.all([
    import('../bench/report/machine.ts'),
    import('./fleet.ts'),
    import('./report.ts'),
    import('./scenarios.ts'),
    import('./server.ts'),
  ])
const log = (line: string) => void process.stderr.write(`${line}\n`)
const directory = mkdtempSync(join(tmpdir(), 'parley-scale-'))
chmodSync(directory, 0o755)
const { cpu, cores, fsync_ms } = describeMachine(directory)
log(`${cores} × ${cpu}, a sync takes ${fsync_ms.toFixed(1)} ms, load ${loadavg()[0]!.toFixed(0)}`)
const server = await startServer(directory)
const outcomes: Outcome[] = []
let failed = false
try {
  for (const nodes of sizes!) for (const partitions of layouts!) await runFleet(nodes, partitions)
} finally {
  await server.stop()
  rmSync(directory, { recursive: true, force: true })
}
process.stdout.write(`${steadyTable(outcomes)}\n\n${changeTable(outcomes)}\n`)
process.exit(failed ? 1 : 0)

async function runFleet(nodes: number, partitions: number): Promise<void> {
  log(`\n${nodes} nodes, ${partitions} partitions, load ${loadavg()[0]!.toFixed(0)}`)
  await clearServer(server.url)
  const fleet = await Fleet.open({
    url: server.url,
    partitions,
    slowness: slowness!,
    databases: Math.min(databases!, nodes),
  })
  try {
    const outcome = await runScenarios(fleet, server, { nodes, seconds: seconds!, log })
    outcomes.push(outcome)
    failed ||= outcome.findings.length > 0
  } catch (error) {
    failed = true
    log(`${(error as Error).stack}`)
    for (const [text, times] of fleet.said) log(`    ${times} × ${text}`)
    log(`shares: ${[...fleet.nodes].map(({ held }) => held)}, ${fleet.ownership.unserved} unserved`)
  } finally {
    for (const finding of fleet.ownership.findings) log(`finding: ${finding}`)
    await fleet.close()
  }
}
