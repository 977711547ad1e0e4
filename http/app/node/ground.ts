/** The ground that a node stands on: its database, its files, and their upkeep, which needs no actor. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Registry } from 'prom-client'
import type { Log } from '../../../runtime/mod.ts'
import { claimCluster, confirmSecret, openBlobs, openDatabase } from '../../../storage/mod.ts'
import { FilePlaces } from '../../media/file_places.ts'
import { FileRoom } from '../../media/file_room.ts'
import { tidyFiles } from '../../media/tidy.ts'
import { assistantMetrics } from '../metrics/assistant_metrics.ts'
import { productMetrics } from '../metrics/product_metrics.ts'
import type { Config } from '../settings/mod.ts'
import { keepContactsSeparate } from '../upkeep/contact_separation.ts'
import { keepMessagesIndexed } from '../upkeep/message_index.ts'
import { keepDays } from '../upkeep/retention.ts'
import type { NodePlace } from './place.ts'
import { Quiet } from './quiet.ts'
import type { Stops } from './stops.ts'
import { lookAround } from './surroundings.ts'

export type Ground = Awaited<ReturnType<typeof openGround>>

/** Opens what the node stands on, and adds its ends to `stops`. Rejects when a part cannot be opened. */
export async function openGround(config: Config, { database_url, secret, process }: NodePlace, log: Log, stops: Stops) {
  const database = await openDatabase({
    url: database_url,
    secret,
    pool_size: config.pool_size,
    log: (message) => log.warn({}, message),
  })
  stops.push(() => database.close())
  await confirmSecret(database)
  const around = await lookAround(config, database, log)
  const uploads_directory = join(config.data_dir, 'uploads')
  const exports_directory = join(config.data_dir, 'exports')
  const blobs = await openBlobs(config.blob_url ?? pathToFileURL(join(config.data_dir, 'blobs')).href)
  stops.push(() => blobs.close())
  const room = new FileRoom(database, {
    files: config.files_per_project,
    bytes: config.files_per_project_gib * 1024 ** 3,
  })
  const places = new FilePlaces({ data_dir: config.data_dir, blobs, log })
  stops.push(() => places.stop())
  places.start()
  const registry = new Registry()
  if (process !== undefined) registry.setDefaultLabels({ process: String(process) })
  const days = await keepDays(database, config, log, () =>
    tidyFiles(database, blobs, { uploads_directory, exports_directory }),
  )
  stops.push(() => days.stop())
  const message_index = keepMessagesIndexed(database, log)
  stops.push(() => message_index.stop())
  const contact_separation = keepContactsSeparate(database, log)
  stops.push(() => contact_separation.stop())
  const { identity, quiet_since } = await claimCluster(database, {
    partitions: config.partitions,
    quiet: config.quiet === 'on',
  })
  const quiet = new Quiet(database, quiet_since, log)
  stops.push(() => quiet.stop())
  return {
    database,
    blobs,
    room,
    places,
    uploads_directory,
    exports_directory,
    registry,
    product: productMetrics(registry),
    assistants: assistantMetrics(registry),
    /** Faults that it can work with, badly. */
    around,
    identity,
    quiet,
    base_url: config.base_url ?? `http://${config.host}:${config.port}`,
  }
}
