/** A port that is chosen stays this process's, although its server listens only later. */
import { spawnSync } from 'node:child_process'
import t from 'tap'
import { freePort } from '../../runtime/servers/port.ts'

t.test('another process that comes to a chosen port takes another', async (t) => {
  const port = await freePort()
  // Leads the other process to our port first.
  const code = `
    const random = Math.random
    Math.random = () => {
      Math.random = random
      return ${(port - 20_000 + 0.5) / 12_000}
    }
    const { freePort } = await import(${JSON.stringify(new URL('../../runtime/servers/port.ts', import.meta.url).href)})
    console.log(await freePort())`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' })
  t.equal(stderr, '')
  t.match(stdout, /^2\d{4}\n|^3[01]\d{3}\n/)
  t.not(Number(stdout), port)
})
