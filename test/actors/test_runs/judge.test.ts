import t from 'tap'
import { wilsonInterval } from '../../../actors/records/assistants/test_run.ts'
import { judge, plain } from '../../../actors/test_runs/judge.ts'

const turn = (answer: string | null) => ({ outcome: 'answered' as const, reason: null, answer, tool_calls: [] })
const languages = { tell: async () => undefined } as never
const judged = (expect: object, answer: string | null) =>
  judge({ expect, turn: turn(answer), step: 3, namesOf: (tool) => [tool] }, languages)

t.test('facts are compared without regard to case, forms of letters and white space', async (t) => {
  t.equal(plain('  STRASSE\n\tÉCLAIR '), plain('straße e\u0301clair'))
  t.equal(plain('İstanbul'), plain('i̇stanbul'))
  t.not(plain('resume'), plain('résumé'))
  t.same(await judged({ includes: ['straße', ['none', 'ÉCLAIR']], excludes: ['apple'] }, 'STRASSE \n e\u0301clair'), [])
})

t.test('an answer that is not there has nothing, and a long one is cut in a failure', async (t) => {
  t.same(await judged({ includes: ['x'] }, null), [{ step: 3, kind: 'includes', expected: '“x”', found: '' }])
  const [failure] = await judged({ excludes: ['aa'] }, 'a'.repeat(4000))
  t.equal(failure!.found, `${'a'.repeat(300)}…`)
  const [missing] = await judged({ includes: [Array(10).fill('b'.repeat(500))] }, 'a')
  t.equal(missing!.expected, `“${'b'.repeat(299)}…`)
})

t.test('a language that cannot be told is not the expected one', async (t) => {
  t.match(await judged({ language: 'en' }, 'OK'), [
    { kind: 'language', expected: 'en', found: /too short or unclear: OK/ },
  ])
})

t.test('an answer that is made to be expensive is judged as any other', async (t) => {
  const answer = 'a'.repeat(4000)
  const includes = Array.from({ length: 20 }, () => `${'a'.repeat(499)}b`)
  const marks = `e${'\u0301'.repeat(3999)}`
  t.equal((await judged({ includes }, answer)).length, 20)
  t.equal((await judged({ includes }, marks)).length, 20)
})

t.test('the interval is that of Wilson', (t) => {
  t.same(wilsonInterval(8, 10), { low: 0.4902, high: 0.9433 })
  t.same(wilsonInterval(0, 10), { low: 0, high: 0.2775 })
  t.same(wilsonInterval(50, 50), { low: 0.9287, high: 1 })
  t.same(wilsonInterval(1, 1), { low: 0.2065, high: 1 })
  t.end()
})
