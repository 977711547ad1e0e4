import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import type { AnyStateMachine } from 'xstate'
import * as machines from '../../../actors/machines/mod.ts'

const all = Object.values(machines).filter(
  (value): value is typeof value & AnyStateMachine => typeof value === 'object' && 'states' in value,
)

t.test('docs/machines.md shows the machines of the code', (t) => {
  const page = new URL('../../../docs/machines.md', import.meta.url)
  const written = readFileSync(page, 'utf8')
  const shown: string[] = []
  const right = written.replace(/<!-- diagram: (\w+) -->\n[\s\S]*?<!-- \/diagram -->/g, (_, id: string) => {
    shown.push(id)
    const machine = all.find((one) => one.id === id)
    const text = machine ? machines.diagram(machine) : 'no such machine'
    return `<!-- diagram: ${id} -->\n\`\`\`mermaid\n${text}\n\`\`\`\n<!-- /diagram -->`
  })
  t.strictSame(shown.toSorted(), all.map(({ id }) => id).toSorted(), 'every machine has its place')
  // tap sets TAP_SNAPSHOT to write the expected result instead of comparing it.
  if (process.env.TAP_SNAPSHOT === '1') writeFileSync(page, right)
  else
    t.equal(written, right, 'run `TAP_SNAPSHOT=1 npm test -- test/actors/machines/diagram.test.ts` to write it again')
  t.end()
})
