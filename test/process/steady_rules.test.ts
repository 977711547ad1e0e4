import t from 'tap'
import { steadyViolations } from '../checks/steady_rules.ts'

const broken = (text: string): string[] => steadyViolations([{ file: 'test/a.test.ts', text: `\n${text}\n` }])

const cases: [text: string, sentence: RegExp][] = [
  ['t.setTimeout(300_000)', /^test\/a\.test\.ts:2 sets a deadline below that of its file/],
  ["t.test('a rule', { timeout: 5000 }, async (t) => {", /sets a deadline below/],
  ["await eventually('it is in', isSent, 60_000)", /waits for less than/],
  ['server.listen(8080)', /listens on a fixed port/],
  ['server.listen({ port: 8080 })', /listens on a fixed port/],
  ['t.ok(performance.now() - began < 500)', /expects an end within a time/],
  ["execute('select pg_terminate_backend(pid) from pg_stat_activity')", /ends sessions of other databases/],
  ["execute('select 1 from pg_locks where not granted')", /looks at the locks of all databases/],
  ["await page.waitForFunction('document.images.length > 0')", /fails where the first look finds nothing/],
]
for (const [text, sentence] of cases)
  t.test(`found: ${text}`, async (t) => {
    t.match(broken(text), [sentence])
    t.equal(broken(text).length, 1)
  })

t.test('what depends on no speed is let through', async (t) => {
  for (const text of [
    't.setTimeout(900_000)',
    't.setTimeout(0)',
    "await eventually('it is in', isSent)",
    "await eventually('it is in', isSent, 180_000)",
    'server.listen(0)',
    'server.listen({ port: 0 })',
    't.ok(performance.now() - began >= 500)',
    't.ok(performance.now() - began < 20_000)',
  ])
    t.same(broken(text), [], text)
})
