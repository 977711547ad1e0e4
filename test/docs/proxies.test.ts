/** The examples of docs/proxies.md, as far as they can be judged without the programs. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { prepareProxy, programs } from '../e2e/proxy_programs.ts'

const NODES = ['127.0.0.1:1001', '127.0.0.1:1002', '127.0.0.1:1003']

for (const program of programs) {
  t.test(`the example for ${program.name} names three nodes, and all that a start of it needs`, async (t) => {
    const { directory, args } = await prepareProxy(t, program, NODES)
    const files = readdirSync(directory)
      .map((name) => join(directory, name))
      .filter((path) => statSync(path).isFile())
    t.ok(
      files.some((path) => args.includes(path)),
      'its settings are among the arguments',
    )
    const text = files.map((path) => readFileSync(path, 'utf8')).join('\n')
    for (const node of NODES) t.match(text, node)
    t.notMatch(text, /10\.0\.0\.1[123]/)
  })
}
