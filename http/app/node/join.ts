import { type ActorKind, type Log, Node, type Tracer } from '../../../runtime/mod.ts'
import { type BlobStore, confirmSecret } from '../../../storage/mod.ts'
import type { FileStores } from '../../media/file_stores.ts'
import type { Config } from '../settings/mod.ts'
import type { Ground } from './ground.ts'
import type { NodePlace } from './place.ts'
import { RELEASE } from './release.ts'
import type { SecretKeys } from './secret_keys.ts'
import type { Stops } from './stops.ts'

const STOP_MS = 5000
/** Longer than a provider may take to answer: process managers should wait a little longer between SIGTERM and SIGKILL. */
const CALLS_MS = 22_000

type Membership = {
  kinds: ActorKind[]
  files: FileStores
  keys: SecretKeys
  /** Called when a node has joined or gone. */
  changed(): void
}

/** Joins the cluster. Resolves once the node has its place in it. */
export async function joinCluster(
  config: Config,
  { nats_url, alone }: NodePlace,
  { database, blobs, identity, quiet }: Ground,
  { kinds, files, keys, changed }: Membership,
  {
    id,
    log,
    given_up,
    stops,
    traces,
  }: { id: string; log: Log; given_up: AbortSignal | undefined; stops: Stops; traces: Tracer | undefined },
): Promise<Node> {
  const node = await Node.start({
    id,
    database,
    nats_url,
    prefix: identity ? `${config.nats_prefix}.${identity}` : config.nats_prefix,
    isQuiet: () => quiet.is_on,
    replicas: config.nats_replicas,
    partitions: config.partitions,
    cluster: {
      alone,
      files: await identityOf(blobs, log),
      confirm: () => confirmSecret(database),
      keys: database.vault.key_ids,
      release: RELEASE,
      changed: (nodes) => {
        files.look(nodes)
        keys.look(nodes)
        changed()
      },
    },
    log,
    given_up,
    kinds,
    tracer: traces,
  })
  stops.push(() => node.stop(STOP_MS, CALLS_MS))
  return node
}

/** Undefined when the store cannot say; the first upload will report why. */
async function identityOf(blobs: BlobStore, log: Log): Promise<string | undefined> {
  try {
    return await blobs.identity()
  } catch (error) {
    log.warn({ error }, 'the store of uploaded files cannot be used')
    return undefined
  }
}
