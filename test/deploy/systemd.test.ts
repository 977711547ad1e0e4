/** The unit of systemd: valid, closed, and with the times and variables of the product. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { tempDir } from '../support/mod.ts'
import { root } from '../support/root.ts'

const file = join(root, 'deploy/systemd/parley.service')
const unit = readFileSync(file, 'utf8')
const page = readFileSync(join(root, 'docs/systemd.md'), 'utf8')
const configuration = readFileSync(join(root, 'docs/configuration.md'), 'utf8')

const settingOf = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1]
/** The default of a setting in production. */
const defaultOf = (setting: string) =>
  Number(new RegExp(`\`${setting}\` \\|[^|]*\\|[^|]*\`(\\d+)\` in production`).exec(configuration)?.[1])

t.test('a stop has the time that it may need', async (t) => {
  const needed = defaultOf('PARLEY_STOP_GRACE_SECONDS') + defaultOf('PARLEY_STOP_REQUESTS_SECONDS') + 35
  t.equal(Number(settingOf('TimeoutStopSec')), needed)
  t.equal(settingOf('KillMode'), 'mixed')
})

t.test('it runs the command of docs/production.md', async (t) => {
  const production = readFileSync(join(root, 'docs/production.md'), 'utf8')
  const command = settingOf('ExecStart')?.replace('/opt/parley/', '')
  t.ok(command !== undefined && production.includes(command), `${command}`)
})

t.test('variables of the unit and of its page are settings', async (t) => {
  const names = `${unit}\n${page}`.match(/\b(?:PARLEY_[A-Z_]+|DATABASE_URL|NATS_URL)(?==)/g) ?? []
  t.ok(names.length > 8)
  for (const name of new Set(names)) t.ok(configuration.includes(`\`${name}\``), name)
})

t.test('commands get the data directory of the unit from the file of variables', async (t) => {
  const directory = /\bPARLEY_DATA_DIR=(\S+)/.exec(settingOf('Environment') ?? '')?.[1]
  t.ok(directory)
  t.ok(page.includes(`\nPARLEY_DATA_DIR=${directory}\nEND\n`))
})

const { error } = spawnSync('systemd-analyze', ['--version'])
t.test(
  'systemd takes it, and rates it as the page says',
  { skip: error && 'systemd-analyze is not installed' },
  (t) => {
    // The paths of this machine in place of those of a server.
    const here = join(tempDir(t), 'parley.service')
    writeFileSync(here, unit.replace('/opt/parley/node_modules/.bin/node', process.execPath))
    const { stderr, status } = spawnSync('systemd-analyze', ['verify', '--man=no', here], { encoding: 'utf8' })
    t.equal(status, 0, stderr)
    const report = execFileSync('systemd-analyze', ['security', '--offline=true', here], { encoding: 'utf8' })
    const exposure = /exposure level for parley\.service: ([\d.]+)/.exec(report)?.[1]
    t.match(page, `rates it ${exposure} `)
    t.end()
  },
)
