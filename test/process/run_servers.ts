/** Stands in for Parley: starts the servers of the data directory given, says where they are, stops on SIGTERM. */
import { startServers } from '../../runtime/servers/start_servers.ts'

try {
  const servers = await startServers({ data_dir: process.argv[2] ?? '', durable: false })
  const { database_url, nats_url } = servers
  process.stdout.write(`${JSON.stringify({ database_url, nats_url, pids: servers.pids() })}\n`)
  process.once('SIGTERM', () => void servers.stop())
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
