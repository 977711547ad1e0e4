/** The programs of `npm run test:…`: wrong usage ends them with 2 and the usage, before anything is started. */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { root } from '../support/root.ts'

async function start(program: string, ...args: string[]) {
  const child = spawn(process.execPath, [`test/${program}/main.ts`, ...args], { cwd: root })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, out, err }
}

for (const program of ['simulation', 'faults', 'scale']) {
  t.test(`test:${program} prints its usage`, async (t) => {
    const usage = `usage: npm run test:${program} [-- `
    const help = await start(program, '--help')
    t.same({ code: help.code, err: help.err }, { code: 0, err: '' })
    t.ok(help.out.startsWith(usage), help.out)
    for (const args of [['--colour'], ['--nodes', '0'], ['word']]) {
      const { code, out, err } = await start(program, ...args)
      t.same({ code, out }, { code: 2, out: '' }, args.join(' '))
      t.match(err, usage)
      t.notMatch(err, /^ +at /m)
    }
  })
}

t.test('test:faults refuses words that name nothing', async (t) => {
  const { code, err } = await start('faults', '--only', 'wipe,typo')
  t.equal(code, 2)
  t.match(err, /^nothing is called typo\nusage: /)
})
