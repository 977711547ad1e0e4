/**
 * A stand-in for Parley: starts the servers of the given data directory, prints their addresses, and stops on SIGTERM.
 */
import { startServers } from '../../runtime/servers/start_servers.ts'

try {
  const servers = await startServers({ data_dir: process.argv[2] ?? '', durable: false })
  const { database_url, nats_url } = servers
  // The handler comes before the output, because a reader of the output may stop the process.
  process.once('SIGTERM', () => void servers.stop())
  process.stdout.write(`${JSON.stringify({ database_url, nats_url, pids: servers.pids() })}\n`)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
