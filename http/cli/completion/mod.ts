import { Argument, type Command } from 'commander'
import { withExamples } from '../options/examples.ts'
import { bashScript } from './bash.ts'
import { fishScript } from './fish.ts'
import { addCompleteCommand } from './listed.ts'
import { wordsOf } from './words.ts'
import { zshScript } from './zsh.ts'

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript }
type Shell = keyof typeof scripts

/** `parley completion`. The scripts are made from the program itself, so they know every command and option. */
export function addCompletionCommand(program: Command): void {
  const completion = program
    .command('completion')
    .summary('complete commands in bash, zsh or fish')
    .description(
      'Prints a script that lets a shell complete commands, options and the ids of existing records after the word ' +
        'parley. For ids it asks the Parley of PARLEY_BASE_URL, or that of the demo. Put it where the shell ' +
        'looks: for bash ~/.local/share/bash-completion/completions/parley, for zsh a directory of $fpath, as ' +
        '_parley, for fish ~/.config/fish/completions/parley.fish. Print it again after an upgrade.',
    )
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(scripts)))
    .action((shell: Shell) => void process.stdout.write(scripts[shell](wordsOf(program))))
  addCompleteCommand(program)
  withExamples(completion, [
    'parley completion bash > parley.bash',
    'parley completion zsh > _parley',
    'parley completion fish > parley.fish',
  ])
}
