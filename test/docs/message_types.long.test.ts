/** A development start sends every body and runs every command of docs/message-types.md. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readDemo } from '../../http/app/demo/demo_file.ts'
import { startParley } from '../../http/app/parley.ts'
import { readConfig } from '../../http/app/settings/mod.ts'
import { silentLog } from '../../runtime/mod.ts'
import type { Json } from '../e2e/client.ts'
import { freePort, tempDir } from '../support/mod.ts'
import { root } from '../support/root.ts'
import { watchNode } from '../support/watched_fetch.ts'
import { blocksOf } from './markdown.ts'
import { sendBodies } from './message_bodies.ts'
import { Shell } from './shell.ts'

t.test('a development start accepts every body, and it arrives', async (t) => {
  const page = readFileSync(join(root, 'docs/message-types.md'), 'utf8')
  const directory = tempDir(t)
  const data_dir = join(directory, '.parley')
  const config = readConfig({ PARLEY_DATA_DIR: data_dir, PARLEY_PORT: String(await freePort()) })
  const parley = await startParley(config, { log: silentLog })
  t.teardown(() => parley.stop())
  watchNode(parley.base_url)
  const { token } = readDemo(data_dir)!
  const shell = new Shell(directory)
  for (const { language, code } of blocksOf(page)) {
    if (language !== 'sh') continue
    const { code: exit, stdout, stderr } = await shell.run(code, { BASE: parley.base_url, TOKEN: token })
    t.equal(exit, 0, stderr)
    t.match(JSON.parse(stdout), { id: /^msg_/, status: 'queued' })
  }
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  await sendBodies(t, page, async (path, body): Promise<Json> => {
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    return (await fetch(`${parley.base_url}/v1/messages${path}`, { headers, ...sent })).json()
  })
})
