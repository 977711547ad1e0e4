/**
 * A whole node of ours, as `npm start` runs it. It also publishes live events without a commit, by the call that commits
 * make: a line names the project and the number of an event, and is answered once the event was handed over.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serve } from '../../../http/app/serve.ts'
import { Live } from '../../../runtime/live/live.ts'
import { lineServer } from '../load/line_server.ts'
import { eventOf, PORT_FILE } from './shape.ts'

let live: Live | undefined
// The node hands its live events to the consoles and to its commits alone.
const start = Live.prototype.start
Live.prototype.start = function () {
  live = this
  return start.call(this)
}

const port = await lineServer(async (n, project_id) => {
  if (!live?.isWatched(project_id)) throw new Error('nobody watches the project')
  live.publish([{ channel: project_id, json: JSON.stringify(eventOf(Number(n))), is_private: false }])
})
const directory = process.env.PARLEY_DATA_DIR!
mkdirSync(directory, { recursive: true })
writeFileSync(join(directory, PORT_FILE), String(port))
process.exit(await serve())
