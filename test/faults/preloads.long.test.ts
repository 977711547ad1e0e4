/** Nodes under test are as their faults need them: with a wrong wall clock, or of the next version. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t from 'tap'
import { tempDir } from '../support/mod.ts'
import { NEW_KIND, NEW_TYPE } from './newer_version.ts'

const preload = (name: string) => `--import=${new URL(name, import.meta.url).href}`

t.test('a wall clock is off by the offset in its file, also in mid-run; monotonic time stays right', async (t) => {
  const file = join(tempDir(t), 'clock')
  const program = `setInterval(() => console.log(JSON.stringify(
    [Date.now(), new Date().getTime(), Date.parse(Date()), performance.now(), new Date(5) instanceof Date])), 20)`
  const child = spawn(process.execPath, [preload('./shifted_clock.ts'), '-e', program], {
    env: { PARLEY_TEST_CLOCK: file },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })
  async function offsets(): Promise<number[]> {
    const [line] = (await once(lines, 'line')) as [string]
    const [now, made, said, ran, is_date] = JSON.parse(line) as [number, number, number, number, boolean]
    t.ok(is_date && ran < 60_000)
    return [now, made, said].map((time) => Math.round((time - Date.now()) / 60_000))
  }
  t.same(await offsets(), [0, 0, 0])
  writeFileSync(file, String(3_600_000))
  let seen = await offsets()
  while (seen[0] === 0) seen = await offsets()
  t.same(seen, [60, 60, 60])
  writeFileSync(file, '0')
  while (seen[0] === 60) seen = await offsets()
  t.same(seen, [0, 0, 0])
})

t.test('the next version takes a message and has a kind of actor that this one does not know', async (t) => {
  const program = `
    const { projectActor } = await import('./actors/mod.ts')
    const { startApiNode } = await import('./http/app/node/api_node.ts')
    const { receive } = projectActor({ database: {}, webhook_schedule: [], base_url: '', providers: {}, foreground: {} })
    console.log(JSON.stringify(['${NEW_TYPE}' in receive, typeof startApiNode]))`
  const told = (env: Record<string, string>) =>
    JSON.parse(
      execFileSync(process.execPath, [preload('./newer_version.ts'), '--input-type=module', '-e', program], {
        env,
        encoding: 'utf8',
      }),
    )
  t.same(told({ PARLEY_TEST_VERSION: 'newer' }), [true, 'function'])
  t.same(told({}), [false, 'function'])
  t.ok(NEW_KIND)
})
