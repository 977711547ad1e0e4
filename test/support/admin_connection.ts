/** The connection with which a test process makes and drops databases. */
import type { Socket } from 'node:net'
import { Client } from 'pg'

let connection: Promise<Client> | undefined
/** Calls that wait for their answers. */
let waiting = 0

/**
 * Runs the work over a connection that this process keeps: opening one costs PostgreSQL a quarter of what making a database
 * costs. Between two calls the connection does not keep the process alive.
 */
export async function asAdmin<Result>(url: string, work: (admin: Client) => Promise<Result>): Promise<Result> {
  connection ??= connect(url)
  const client = await connection
  const stream = client.connection.stream as Socket
  if (waiting++ === 0) stream.ref()
  try {
    return await work(client)
  } finally {
    if (--waiting === 0) stream.unref()
  }
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  // The server of a file that runs alone ends before the process does.
  client.on('error', () => (connection = undefined))
  await client.connect()
  return client
}
