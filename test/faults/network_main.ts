/** `node test/faults/network_main.ts [rounds] [seed]`, as root: network partitions alone. */
// The tools of the tests load tap, which would end a program of its own after 30 s.
process.env.TAP_TIMEOUT = '86400'
const { runPartitions } = await import('./network.ts')

const [rounds = 40, seed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number)
try {
  const result = await runPartitions({ rounds, seed, log: (line) => process.stdout.write(`${line}\n`) })
  process.stdout.write(`${JSON.stringify(result, undefined, 2)}\n`)
  process.exit(result.faults.length > 0 ? 1 : 0)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exit(1)
}
