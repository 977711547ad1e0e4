import t from 'tap'
import { hasFlags, patternSize } from '../../../actors/agent_tools/pattern_size.ts'

const sizes: [pattern: string, at_least: number, at_most: number][] = [
  ['abc', 3, 3],
  ['a{1000}', 1000, 1000],
  ['a{0,1000}', 1000, 1000],
  ['a{10,}', 10, 10],
  ['^[A-Z]{2}\\d{4}$', 8, 8],
  ['(a{10}){10}', 100, 150],
  ['(((a{10}){10}){10}){10}', 10_000, 12_500],
  ['(){1000}', 1000, 2000],
  ['[]{5}]{100}', 100, 100],
  ['[^]{5}]{100}', 100, 100],
  ['[[:alpha:]{9}]{100}', 100, 100],
  ['[\\]{5}]{100}', 100, 100],
  ['\\p{Greek}{100}', 100, 100],
  ['\\x{41}{100}', 100, 100],
  ['\\({100}', 100, 100],
  ['\\\\{100}', 100, 100],
  ['(?:ab|c){10}', 40, 80],
  ['{5}', 0, 5],
  ['((((', 4, 8],
  ['))))', 4, 8],
]
for (const [pattern, at_least, at_most] of sizes) {
  t.test(`${pattern} has about ${at_least} parts`, async (t) => {
    const size = patternSize(pattern)
    t.ok(size >= at_least && size <= at_most, String(size))
  })
}

t.test('flags are told from groups', async (t) => {
  for (const flagged of ['(?i)a', '(?i:a)', 'a(?s-i).', '(?U)']) t.ok(hasFlags(flagged), flagged)
  for (const plain of ['a', '(?:a)', '(?<n>a)', '(?P<n>a)', '(a)?']) t.notOk(hasFlags(plain), plain)
})
