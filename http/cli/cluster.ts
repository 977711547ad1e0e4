import type { Command } from 'commander'
import { connectAsOperator, type OperatorOptions, withOperatorOptions } from './connection/connection.ts'
import { withExamples } from './options/examples.ts'
import { CommandFailure } from './terminal/failure.ts'
import { paint, printJson, printLine, table } from './terminal/terminal.ts'

type Node = {
  id: string
  host: string
  pid: number
  started_at: string
  leaving: boolean
  is_connected?: boolean
  partitions: number
  backlog: number
  release?: string
}
type Partition = { id: number; owner: string | null; epoch: number; backlog: number }
/** A node of an older version gives no warnings, and reports neither its release nor whether it is connected. */
type Cluster = { nodes: Node[]; partitions: Partition[]; warnings?: string[]; quiet_since?: string | null }
type StatusOptions = OperatorOptions & { partitions?: boolean; json?: boolean }
type DrainOptions = OperatorOptions & { wait: boolean; json?: boolean }

const DRAIN_MS = 30_000
const LOOK_MS = 200

export function addClusterCommands(program: Command): void {
  const cluster = program
    .command('cluster')
    .summary('see the nodes, drain one')
    .description('Shows the nodes of a cluster and their partitions, and drains a node. Uses the operator API.')

  const status = withOperatorOptions(cluster.command('status'))
    .summary('nodes, partitions, owners, epochs, backlog')
    .description(
      'Lists the living nodes and their backlog. With --partitions, lists every partition and its owner. Taken in: ' +
        'messages in the memory of the node, not applied yet. Waiting: messages in the outbox.',
    )
    .option('--partitions', 'list the partitions too')
    .option('--json', 'print everything as JSON')
    .action(showStatus)
  withExamples(status, [
    'parley cluster status',
    'parley cluster status --partitions',
    "parley cluster status --json | jq '[.partitions[].backlog] | add'",
  ])

  const drain = withOperatorOptions(cluster.command('drain'))
    .summary('give the partitions of a node to the others')
    .description(
      'Drains a node: its partitions move to the other nodes. The node still accepts requests until it is stopped, ' +
        'and gets no partitions until it is restarted.',
    )
    .argument('<node>', 'its id, or the beginning of it (parley cluster status)')
    .option('--no-wait', 'do not wait until the node owns no partition')
    .option('--json', 'print JSON')
    .action(drainNode)
  withExamples(drain, ['parley cluster drain 3f9c0a71b2d4', 'parley cluster drain 3f9c --no-wait'])
}

async function showStatus(options: StatusOptions): Promise<void> {
  const { api } = connectAsOperator(options)
  const cluster: Cluster = await api.call('GET', '/admin/v1/cluster')
  if (options.json) return printJson(cluster)
  const { nodes, partitions, warnings = [] } = cluster
  const rows = nodes.map(({ id, host, pid, release, started_at, partitions, backlog, leaving, is_connected }) => [
    id,
    `${host}:${pid}`,
    release ?? 'unknown',
    started_at.slice(0, 19).replace('T', ' '),
    String(partitions),
    String(backlog),
    leaving ? paint('yellow', 'draining') : is_connected === false ? paint('red', 'not connected') : 'ok',
  ])
  printLine(table(['node', 'process', 'release', 'since (UTC)', 'partitions', 'taken in', 'state'], rows, 1))
  if (options.partitions) {
    const lines = partitions.map(({ id, owner, epoch, backlog }) => [
      String(id),
      owner ?? paint('yellow', 'nobody'),
      String(epoch),
      String(backlog),
    ])
    printLine('')
    printLine(table(['partition', 'owner', 'epoch', 'waiting'], lines, 1))
  }
  const waiting = partitions.reduce((sum, { backlog }) => sum + backlog, 0)
  const orphans = partitions.filter(({ owner }) => !nodes.some(({ id }) => id === owner)).length
  printLine(`${partitions.length} partitions, ${waiting} messages waiting`)
  if (orphans > 0)
    printLine(paint('yellow', `${orphans} partitions have no living owner; they are taken within seconds`))
  for (const warning of warnings) printLine(paint('red', warning))
}

async function drainNode(name: string, options: DrainOptions): Promise<void> {
  const { api } = connectAsOperator(options)
  const { nodes }: Cluster = await api.call('GET', '/admin/v1/cluster')
  const matching = nodes.filter(({ id }) => id.startsWith(name))
  if (matching.length === 0)
    throw new CommandFailure(
      `No node that is alive has an id beginning with ${name}; \`parley cluster status\` shows which there are.`,
      1,
    )
  if (matching.length > 1)
    throw new CommandFailure(`Several nodes have an id beginning with ${name}: give more of it.`, 2)
  const [{ id }] = matching as [Node]
  if (!nodes.some((node) => node.id !== id && !node.leaving)) {
    throw new CommandFailure('It is the only node: there is nobody to take its partitions.', 1)
  }
  await api.call('POST', `/admin/v1/cluster/nodes/${id}/drain`)
  let left = matching[0]!.partitions
  for (const end = performance.now() + DRAIN_MS; options.wait && left > 0; ) {
    if (performance.now() > end) throw new CommandFailure(`${left} partitions are still owned by ${id}.`, 1)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    const { partitions }: Cluster = await api.call('GET', '/admin/v1/cluster')
    left = partitions.filter(({ owner }) => owner === id).length
  }
  if (options.json) return printJson({ node: id, partitions: left })
  printLine(options.wait ? `${id} owns nothing any more; it can be stopped.` : `${id} gives its partitions away.`)
}
