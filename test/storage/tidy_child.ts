/** Tidies once as a node does, in a process of its own, and prints the day tables that it dropped. */
import { pathToFileURL } from 'node:url'
import { tidyMedia } from '../../http/media/tidy.ts'
import {
  dropSessionsOver,
  dropSlicesLeft,
  forgetAnswers,
  forgetEarlyStatuses,
  keepDayTables,
  openBlobs,
  openDatabase,
} from '../../storage/mod.ts'

const [url, directory] = process.argv.slice(2) as [string, string]
const database = await openDatabase({ url, pool_size: 1 })
const blobs = await openBlobs(pathToFileURL(directory).href)
const dropped = await keepDayTables(database, 30)
await forgetAnswers(database)
await forgetEarlyStatuses(database)
await dropSlicesLeft(database)
await dropSessionsOver(database)
await tidyMedia(database, blobs, directory)
await blobs.close()
await database.close()
process.stdout.write(JSON.stringify({ dropped, wall_ms: Date.now() }))
