/**
 * `node test/run/make_template.ts <directory>`: makes the data directory of a PostgreSQL that has the template of the
 * test databases. Every later run starts with a copy.
 */
import { makeTemplate } from '../support/database.ts'
import { startTestServers } from '../support/test_servers.ts'

const servers = await startTestServers(process.argv[2]!, { nats: false })
try {
  await makeTemplate(servers.database_url)
} finally {
  await servers.stop()
}
