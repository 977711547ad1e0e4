import fc from 'fast-check'
import { RE2JS } from 're2js'
import t from 'tap'
import { hasFlags, patternSize, unicodeNames } from '../../../actors/agent_tools/pattern_size.ts'

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
  ['[[:a]{100}', 100, 100],
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
  const flagged = ['(?i)a', '(?i:a)', 'a(?s-i).', '(?U)', '\\\\(?i)', '[a](?i)', '[[:a](?i)', '\\Qa\\E']
  for (const pattern of flagged) t.ok(hasFlags(pattern), pattern)
  const plain = ['a', '(?:a)', '(?<n>a)', '(?P<n>a)', '(a)?', '\\(?a', '[(?i)]', '(?=a)', '(?!a)', '\\\\Q']
  for (const pattern of plain) t.notOk(hasFlags(pattern), pattern)
})

t.test('names of Unicode are counted in classes and outside, and not behind an escaped backslash', async (t) => {
  t.equal(unicodeNames('\\PL[\\p{Lu}\\P{^L}^\\pN]{3}'), 4)
  t.equal(unicodeNames('\\\\pL\\[\\]pP'), 0)
  t.equal(unicodeNames('\\\\\\pL\\n\\\n\\PL'), 2)
})

const PIECES =
  '[ ] ^ \\ Q E [: :] alpha ( ) (?: (?i) (?P<n> ? * {2} {3,} x{ } p L a{50} b | - . $ \\Q \\E \\x{41} \\p{L} [a-z] \\d { , 1'
const pieces = fc.constantFrom(...PIECES.split(' '))

t.test('no expression that compiles is larger than its size says', async () => {
  const property = fc.property(fc.array(pieces, { minLength: 1, maxLength: 8 }), (parts) => {
    const pattern = parts.join('')
    const compiled = compile(pattern)
    return !compiled || hasFlags(pattern) || compiled.programSize() <= 2 * (patternSize(pattern) + 2)
  })
  fc.assert(property, { numRuns: 10_000 })
})

function compile(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern)
  } catch {
    return undefined
  }
}
