/** The `sh` blocks of pages in docs/ are run against a development start, one after the other. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readDemo } from '../../http/app/demo/demo_file.ts'
import { startParley } from '../../http/app/parley.ts'
import { readConfig, silentLog } from '../../runtime/mod.ts'
import { root } from '../support/checks.ts'
import { freePort, tempDir } from '../support/mod.ts'
import { Example } from './example.ts'
import { blocksOf } from './markdown.ts'
import { Shell } from './shell.ts'

t.test(
  'the examples of the pages on Flows, templates, media, bulk sends, the console, the simulator and assistants work',
  async (t) => {
    const directory = tempDir(t)
    const data_dir = join(directory, '.parley')
    const config = readConfig({ PARLEY_DATA_DIR: data_dir, PARLEY_PORT: String(await freePort()) })
    const parley = await startParley(config, { log: silentLog })
    t.teardown(() => parley.stop())
    const shell = new Shell(directory)
    const { token, channels } = readDemo(data_dir)!
    const env = { BASE: parley.base_url, TOKEN: token, NUMBER: channels.whatsapp!.phone_number_id }
    for (const page of [
      'flows.md',
      'templates.md',
      'media.md',
      'broadcasts.md',
      'console.md',
      'simulator.md',
      'assistants.md',
    ]) {
      const blocks = blocksOf(readFileSync(join(root, 'docs', page), 'utf8'))
      const example = new Example()
      for (const [index, { language, code, line }] of blocks.entries()) {
        if (language !== 'sh') continue
        const { code: exit, stdout, stderr } = await shell.run(code, env)
        if (!t.equal(exit, 0, `${page}, line ${line}: ${stderr}${stdout}`)) continue
        const next = blocks[index + 1]
        if (next?.language === 'json') t.equal(example.difference(JSON.parse(next.code), JSON.parse(stdout)), undefined)
      }
    }
  },
)
