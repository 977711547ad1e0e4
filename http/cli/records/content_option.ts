/** A text that is given on the command line, or in a file. */
import type { Command } from 'commander'
import { readFileOf } from '../options/read_file.ts'
import { CommandFailure } from '../terminal/failure.ts'
import type { Options } from './resource.ts'

export type ContentOptions = Options & { content?: string; file?: string }

export function withContent(command: Command): Command {
  return command
    .option('--content <text>', 'its text')
    .option('--file <file>', 'a file with its text; - reads standard input')
}

/**
 * The content in `--content` or `--file`; undefined without either. The newline at the end of a file is left out.
 * @throws {CommandFailure} when both are given, or the file cannot be read
 */
export async function contentOf({ content, file }: ContentOptions): Promise<string | undefined> {
  if (content !== undefined && file !== undefined) {
    throw new CommandFailure('Give the text with --content or with --file, not with both.', 2)
  }
  if (file === undefined) return content
  const text = new TextDecoder().decode(await readFileOf(file))
  return text.replace(/\r?\n$/, '')
}
