import { join } from 'node:path'
import { startServers } from '../../../runtime/servers/start_servers.ts'
import { adopt, type Server } from './child.ts'

/**
 * Starts a PostgreSQL for one contestant: the one that Parley embeds, with Parley's settings, so that all have the
 * same. Commits are synced to disk. `url` signs in as a superuser over the Unix socket, as Parley does.
 */
export async function startPostgres(directory: string): Promise<{ server: Server; url: string }> {
  const servers = await startServers({ data_dir: join(directory, 'database'), nats: false })
  const server = adopt({ pid: servers.pids().postgres ?? -1, stop: servers.stop })
  return { server, url: servers.local_database_url }
}
