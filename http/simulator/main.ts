/**
 * The simulator as a process. Its options are JSON in the first argument or in PARLEY_SIMULATOR. Once it is ready it
 * prints one line {"url":…}, with `smtp_port` when it has mailboxes. It ends with SIGTERM, SIGINT, the end of a piped
 * stdin or the death of its parent.
 */
import { fstatSync } from 'node:fs'
import { type SimulatorOptions, startSimulator } from './mod.ts'

const PARENT_CHECK_MS = 500

const source = process.argv[2] ?? process.env.PARLEY_SIMULATOR ?? '{"numbers":[]}'

try {
  const simulator = await startSimulator(JSON.parse(source) as SimulatorOptions)
  const stop = () => void simulator.close().then(() => process.exit(0))
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
  // A stdin that is not a pipe (a file, /dev/null) ends at once and says nothing about the parent.
  const stdin = fstatSync(0)
  if (stdin.isFIFO() || stdin.isSocket()) process.stdin.on('end', stop).on('error', stop).resume()
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) stop()
  }, PARENT_CHECK_MS).unref()
  // Last, because the reader of this line may send a signal at once.
  process.stdout.write(`${JSON.stringify({ url: simulator.url, smtp_port: simulator.smtp_port })}\n`)
} catch (error) {
  process.stderr.write(`The simulator cannot start: ${(error as Error).message}\n`)
  process.exitCode = 1
}
