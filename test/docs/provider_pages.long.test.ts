/** The `sh` blocks of pages in docs/ are run against a development start, one after the other. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readDemo } from '../../http/app/demo/demo_file.ts'
import { startParley } from '../../http/app/parley.ts'
import { readConfig } from '../../http/app/settings/mod.ts'
import { silentLog } from '../../runtime/mod.ts'
import { freePort, tempDir } from '../support/mod.ts'
import { root } from '../support/root.ts'
import { Example } from './example.ts'
import { blocksOf } from './markdown.ts'
import { Shell } from './shell.ts'

t.test(
  'the examples of the pages on Flows, templates, media, bulk sends, the console, the inbox, the simulator, assistants and the CRM work',
  async (t) => {
    const directory = tempDir(t)
    const data_dir = join(directory, '.parley')
    const config = readConfig({ PARLEY_DATA_DIR: data_dir, PARLEY_PORT: String(await freePort()) })
    const parley = await startParley(config, { log: silentLog })
    t.teardown(() => parley.stop())
    const shell = new Shell(directory)
    const { token, channels, operator_key, company_id, project_id, simulator_url } = readDemo(data_dir)!
    await fetch(`${simulator_url}/_control/inbound`, {
      method: 'POST',
      body: JSON.stringify({ channel: 'whatsapp', from: '+15551234567', message: 'Where is my order?' }),
    })
    const first = async (path: string) => {
      const listed = await fetch(`${parley.base_url}/v1/${path}`, { headers: { authorization: `Bearer ${token}` } })
      return ((await listed.json()) as { data: { _id: string }[] }).data[0]!._id
    }
    const env = {
      BASE: parley.base_url,
      TOKEN: token,
      NUMBER: channels.whatsapp!.phone_number_id,
      OPERATOR_KEY: operator_key,
      COMPANY: company_id,
      PROJECT: project_id,
      TICKET: await first('crm/tickets'),
      ASSISTANT: await first('assistants'),
    }
    for (const page of [
      'flows.md',
      'templates.md',
      'media.md',
      'broadcasts.md',
      'console.md',
      'inbox.md',
      'simulator.md',
      'assistants.md',
      'crm.md',
    ]) {
      const blocks = blocksOf(readFileSync(join(root, 'docs', page), 'utf8'))
      const example = new Example()
      for (const [index, { language, code, line }] of blocks.entries()) {
        if (language !== 'sh') continue
        const { code: exit, stdout, stderr } = await shell.run(code, env)
        if (!t.equal(exit, 0, `${page}, line ${line}: ${stderr}${stdout}`)) continue
        const next = blocks[index + 1]
        // An answer is the block right after its request, with an empty line and the fences between them.
        const is_answer = next?.language === 'json' && next.line === line + code.split('\n').length + 2
        if (is_answer) t.equal(example.difference(JSON.parse(next.code), JSON.parse(stdout)), undefined)
      }
    }
  },
)
