import t from 'tap'
import { isWalk } from '../support/mod.ts'

const PATH = ['queued', 'sent', 'delivered', 'read']

const cases: [seen: string[], expected: boolean][] = [
  [PATH, true],
  [['read'], true],
  [['queued', 'queued', 'delivered', 'read', 'read'], true],
  [[], false],
  [['queued', 'sent'], false],
  [['sent', 'queued', 'read'], false],
  [['sent', 'read', 'sent', 'read'], false],
  [['lost', 'read'], false],
]
for (const [seen, expected] of cases)
  t.test(`${seen.join(', ') || 'nothing'} is ${expected ? 'a' : 'no'} walk`, async (t) => {
    t.equal(isWalk(seen, PATH), expected)
  })
