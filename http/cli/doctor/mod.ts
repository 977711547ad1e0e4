import type { Command } from 'commander'
import { withExamples } from '../options/examples.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { paint, printJson, printLine, wrap } from '../terminal/terminal.ts'

const MARKS = { ok: '✔', warn: '!', fail: '✘' } as const
const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red' } as const
const WIDTH = 80

export function addDoctorCommand(program: Command): void {
  const doctor = program
    .command('doctor')
    .summary('find out why Parley does not start, or would not')
    .description(
      'Checks everything that a start needs (Node.js, packages, settings, data directory, files, PostgreSQL, ' +
        'secret, NATS, ports, clock), and the addresses of the models, whether or not Parley is running, and explains how to fix each problem. It ' +
        'changes nothing. Exit code 1 when a check fails.',
    )
    .option('--json', 'print JSON')
    .action(runDoctor)
  withExamples(doctor, [
    'parley doctor',
    'parley doctor --json | jq -r \'.findings[] | select(.status=="fail") | .text\'',
  ])
}

async function runDoctor({ json }: { json?: boolean }): Promise<void> {
  const { examine } = await import('./run_checks.ts')
  const findings = await examine()
  const failed = findings.filter(({ status }) => status === 'fail').length
  if (json) printJson({ ok: failed === 0, findings })
  else {
    for (const { status, name, text } of findings) {
      const label = `${paint(COLOURS[status], MARKS[status])} ${name.padEnd(15)}`
      printLine(`${label}${wrap(text, WIDTH, 17).trimStart()}`)
    }
    const warned = findings.filter(({ status }) => status === 'warn').length
    printLine('')
    printLine(failed + warned === 0 ? 'All is well.' : `${count(failed, 'failure')}, ${count(warned, 'warning')}.`)
  }
  if (failed > 0) throw new CommandFailure('')
}

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`
