import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import { CommandFailure } from './failure.ts'

type Agreement = {
  /** Ends with a question mark. */
  question: string
  /** Beginning of the sentence of a refusal: `Nothing is sent`. */
  refusal: string
  /** The file that the command reads, if any; `-` takes standard input, which then cannot be used for the answer. */
  file?: string
}

/** For commands that ask before they destroy something (`mustAgree`). */
export function withYes(command: Command): Command {
  return command.option('--yes', 'do not ask')
}

/**
 * Asks on a terminal before an action that may be unintended.
 * @throws {CommandFailure} when the answer is no, or there is no terminal: then it names `--yes`
 */
export async function mustAgree({ question, refusal, file }: Agreement): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY || file === '-') {
    throw new CommandFailure(`${refusal}: there is no terminal to ask on; --yes does it without asking.`)
  }
  const dialogue = createInterface({ input: process.stdin, output: process.stderr })
  // Ctrl-C, Ctrl-D and a closed terminal give no answer, which counts as no.
  const ended = once(dialogue, 'close').then(() => '')
  const answer = await Promise.race([dialogue.question(`${question} [y/N] `).catch(() => ''), ended])
  dialogue.close()
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandFailure(`${refusal}.`)
}
