import t from 'tap'
import { expressionViolations } from '../checks/expression_rules.ts'
import { regularExpressionsIn } from '../checks/regular_expressions.ts'

const found = (source: string) => regularExpressionsIn(source).map(({ source, flags }) => `/${source}/${flags}`)

/** § stands for the dollar sign, which would insert a value. */
const sources: [string, string, string[]][] = [
  ['a literal', 'const a = /x+/g', ['/x+/g']],
  ['one with a slash in it', 'a(/[/]\\/"/, 1)', ['/[/]\\/"/']],
  ['one after a word', 'return /a/.test(b)', ['/a/']],
  ['one after an arrow', 'const f = (a) => /a/u.exec(a)', ['/a/u']],
  ['one in a template', 'a = `x/y §{b.replace(/c/, `§{/d/}`)} /e/`', ['/c/', '/d/']],
  ['one behind text', 'a = "/x/"; b = \'/y/\'; c = /z/ // /w/\n/* /v/ */', ['/z/']],
  ['one that is put together', "new RegExp(`^§{a}\\\\d+$`, 'i')", ['/^x\\d+$/i']],
  ['one out of a string', "RegExp('a+')", ['/a+/']],
  ['divisions', 'a = b / c / d; e = f! / g / h; i = (j) / k / l; m = n[0] / o / 2 / p.in / q / r', []],
  ['a negation', 'a = !/b/.test(c)', ['/b/']],
]

for (const [what, source, expected] of sources) {
  t.test(`what is found in source: ${what}`, async (t) => t.same(found(source.replaceAll('§', '$')), expected))
}

t.test('each expression has the number of its line', async (t) => {
  t.same(regularExpressionsIn('a\n\nb = /c/'), [{ line: 3, source: 'c', flags: '' }])
})

const expression = (source: string) => ({ source, flags: '', places: ['a.ts:1'] })

t.test('an expression that takes longer than linear is a violation, unless it is listed', async (t) => {
  const expressions = [expression('^a+$'), expression('<!--[^]*?-->')]
  t.match(await expressionViolations(expressions, {}), [/^a\.ts:1: .* takes 2nd degree polynomial/])
  t.same(await expressionViolations(expressions, { '/<!--[^]*?-->/': 'no stranger' }), [])
})

t.test('a listed expression has to exist', async (t) => {
  t.match(await expressionViolations([], { '/a/': 'no stranger' }), [/is listed/])
})

t.test('an expression judged linear is not judged again', async (t) => {
  const cache = new Set<string>()
  await expressionViolations([expression('^a+$')], {}, cache)
  t.same([...cache], ['/^a+$/'])
  t.same(await expressionViolations([expression('(a+)+$')], {}, new Set(['/(a+)+$/'])), [])
})
