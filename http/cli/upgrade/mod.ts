/** `parley upgrade check`, run with the new release while nodes of the former one work. */
import type { Command } from 'commander'
import { withExamples } from '../options/examples.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { paint, printJson, printLine, table, wrap } from '../terminal/terminal.ts'
import { durationOf, type UpgradeCheck } from './upgrade_check.ts'

/** Something has to be done before the upgrade. */
const NOT_READY = 3

const MARKS = { ok: '✔', warn: '!', fail: '✘' } as const
const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red' } as const
const WIDTH = 80
const MIB = 1024 * 1024

export function addUpgradeCommands(program: Command): void {
  const upgrade = program
    .command('upgrade')
    .summary('see what an upgrade to this release will do')
    .description('Prepares an upgrade. Run it with the new release, on the machine of a node or with its environment.')
  const check = upgrade
    .command('check')
    .summary('what it will migrate, how long, and whether it may begin')
    .description(
      'Says what this release will change in the database and about how long it takes, which releases the nodes that ' +
        'work now run, and whether the upgrade may begin. It only reads, and nodes may work meanwhile. Exit code 3 when ' +
        'something has to be done first.',
    )
    .option('--json', 'print JSON')
    .action(checkUpgrade)
  withExamples(check, ['parley upgrade check', "parley upgrade check --json | jq '.seconds'"])
}

async function checkUpgrade({ json }: { json?: boolean }): Promise<void> {
  const { examineUpgrade } = await import('./examine.ts')
  const checked = await examineUpgrade()
  if (json) printJson(checked)
  else printCheck(checked)
  if (!checked.ready) throw new CommandFailure('', NOT_READY)
}

function printCheck({ ready, release, nodes, migrations, seconds, disk_bytes, findings }: UpgradeCheck): void {
  const running = nodes.map(({ release, count }) => `${count} of ${release ?? 'an unknown release'}`)
  printLine(`This is ${release}. Nodes that work now: ${running.join(', ') || 'none'}.\n`)
  if (migrations.length > 0) {
    const rows = migrations.map((one) => [
      one.migration,
      `${one.step}/${one.of}`,
      one.summary,
      durationOf(one.seconds),
      one.effect,
    ])
    printLine(table(['migration', 'step', 'what it does', 'about', 'nodes notice'], rows, 2))
    const disk = disk_bytes >= MIB ? `, and up to ${Math.ceil(disk_bytes / MIB)} MiB of its disk` : ''
    printLine(`\nAbout ${durationOf(seconds)} in all${disk}. This is an estimate from rows that were read just now;`)
    printLine('a busy server takes longer.\n')
  }
  for (const { status, name, text } of findings) {
    const label = `${paint(COLOURS[status], MARKS[status])} ${name.padEnd(15)}`
    printLine(`${label}${wrap(text, WIDTH, 17).trimStart()}`)
  }
  printLine('')
  printLine(ready ? 'The upgrade may begin.' : 'Something has to be done first.')
}
