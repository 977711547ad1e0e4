/** The completion scripts in the shells themselves, as far as this machine has them. Each script names everything. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import t from 'tap'
import { LISTED, listOf } from '../../http/cli/completion/listed.ts'
import { buildProgram } from '../../http/cli/program.ts'
import { tempDir } from '../support/mod.ts'
import { run } from './command.ts'

/** Stands for `parley complete`: the ids of two webhooks. */
const IDS = String.raw`printf 'wh_1\tOrders: new\nwh_2\tOther\n'`

/** Programs that print the completions of the words, one a line. The last word is the one that is completed. */
const shells = {
  bash: (file: string) => `
    source ${file}
    compopt() { :; }
    parley() { ${IDS}; }
    COMP_WORDS=(parley "$@"); COMP_CWORD=$#
    _parley
    printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (file: string) => `
    compdef() { : }
    compset() { words[CURRENT]="\${words[CURRENT]#*=}" }
    parley() { ${IDS} }
    _describe() { print -rl -- \${(P)2} }
    compadd() { shift; print -rl -- "$@" }
    _files() { print -rl -- * }
    source ${file}
    words=(parley "$@"); CURRENT=$(( $# + 1 ))
    _parley`,
  fish: (file: string) => `
    source ${file}
    function parley; ${IDS}; end
    complete -C "parley $argv"`,
}
type Shell = keyof typeof shells

const directory = tempDir(t)
writeFileSync(join(directory, 'people.csv'), '')
writeFileSync(join(directory, 'two words.csv'), '')

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
  [['broadcast', 'send', '--csv', 'two'], ['two words.csv']],
  [
    ['webhooks', 'show', 'wh'],
    ['wh_1', 'wh_2'],
  ],
  [['webhooks', 'show', '--js'], ['--json']],
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

t.test('every id that is completed has a list, and the list is asked for', (t) => {
  const lists = commandsOf(program).flatMap(({ registeredArguments: [first] }) => (first ? [listOf(first)] : []))
  const named = commandsOf(program).flatMap(({ registeredArguments: [first] }) =>
    /\(parley .* list\)/.test(first?.description ?? '') ? [first!] : [],
  )
  t.ok(named.length > 50)
  for (const argument of named) t.ok(listOf(argument), argument.description)
  const options = commandsOf(program).flatMap(({ options }) => options.map(listOf))
  const unused = Object.keys(LISTED).filter((list) => ![...lists, ...options].includes(list))
  t.same(unused, [])
  t.end()
})

t.test('another shell is refused', async (t) => {
  t.match(await run(['completion', 'tcsh']), { code: 2, err: /Allowed choices are bash, zsh, fish\.\n$/ })
})
