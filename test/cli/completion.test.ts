/** The completion scripts in the shells themselves, as far as this machine has them. Each script names everything. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import t from 'tap'
import { buildProgram } from '../../http/cli/program.ts'
import { tempDir } from '../support/mod.ts'
import { run } from './command.ts'

/** Programs that print the completions of the words, one a line. The last word is the one that is completed. */
const shells = {
  bash: (file: string) => `
    source ${file}
    COMP_WORDS=(parley "$@"); COMP_CWORD=$#
    _parley
    printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (file: string) => `
    compdef() { : }
    _describe() { print -rl -- \${(P)2} }
    compadd() { shift; print -rl -- "$@" }
    _files() { print -rl -- * }
    source ${file}
    words=(parley "$@"); CURRENT=$(( $# + 1 ))
    _parley`,
  fish: (file: string) => `
    source ${file}
    complete -C "parley $argv"`,
}
type Shell = keyof typeof shells

const directory = tempDir(t)
writeFileSync(join(directory, 'people.csv'), '')

/** The words that begin with the last one, without their descriptions. */
function complete(shell: Shell, file: string, words: string[]): string[] {
  const given =
    shell === 'fish' ? ['-Nc', shells.fish(file), words.join(' ')] : ['-c', shells[shell](file), shell, ...words]
  const { stdout, stderr } = spawnSync(shell, given, { cwd: directory, encoding: 'utf8' })
  if (stderr) throw new Error(stderr)
  const found = stdout.split('\n').map((line) => line.split(/[\t:]/)[0]!)
  return found.filter((word) => word !== '' && word.startsWith(words.at(-1)!)).sort()
}

const cases: [words: string[], completions: string[]][] = [
  [['tok'], ['token']],
  [['loyalty', 'programs', 'cr'], ['create']],
  [['loyalty', 'programs', 'create', '--ty'], ['--type']],
  [
    ['loyalty', 'programs', 'create', '--type', ''],
    ['points', 'stamps'],
  ],
  [['loyalty', 'programs', 'create', '--name', 'list', '--ti'], ['--tier']],
  [['completion', 'z'], ['zsh']],
  [['broadcast', 'send', '--csv', 'peo'], ['people.csv']],
  [['token', 'revoke', '66f2a0c1d4e5f60718293a4d', '--y'], ['--yes']],
]

const commandsOf = (command: Command): Command[] => [command, ...command.commands.flatMap(commandsOf)]
const program = buildProgram()

for (const shell of Object.keys(shells) as Shell[]) {
  t.test(`${shell} completes commands, options and their values`, async (t) => {
    const { code, out } = await run(['completion', shell])
    t.equal(code, 0)
    const file = join(directory, `parley.${shell}`)
    writeFileSync(file, out)
    const names = commandsOf(program)
      .slice(1)
      .map((command) => command.name())
    const options = commandsOf(program).flatMap((command) => command.options.map(({ long }) => long!))
    const written = options.map((long) => (shell === 'fish' ? ` -l ${long.slice(2)} ` : long))
    t.ok(names.length > 80 && options.length > 200)
    t.same(
      [...names, ...written].filter((word) => !out.includes(word)),
      [],
      'nothing is missing',
    )
    if (spawnSync(shell, ['-c', 'true']).status !== 0) return
    for (const [words, completions] of cases) t.same(complete(shell, file, words), completions, words.join(' '))
  })
}

t.test('another shell is refused', async (t) => {
  t.match(await run(['completion', 'tcsh']), { code: 2, err: /Allowed choices are bash, zsh, fish\.\n$/ })
})
