import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { CommandFailure } from '../terminal/failure.ts'
import { parseExactJson, RoundedNumber } from './exact_json.ts'

/**
 * The content of a file, or of standard input for `-`.
 * @throws {CommandFailure} when it cannot be read
 */
export async function readFileOf(path: string): Promise<Uint8Array> {
  if (path === '-') return buffer(process.stdin)
  try {
    return await readFile(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new CommandFailure(`There is no file ${path}: correct the name, or make it first.`)
    throw new CommandFailure(`${path} cannot be read (${code}).`)
  }
}

/**
 * @throws {CommandFailure} when it cannot be read, is not JSON, or holds a number that would be rounded
 */
export async function readJsonOf(path: string): Promise<unknown> {
  const text = new TextDecoder().decode(await readFileOf(path))
  try {
    return parseExactJson(text)
  } catch (error) {
    if (error instanceof RoundedNumber) throw new CommandFailure(`${path}: ${error.message}.`)
    throw new CommandFailure(`${path} is no JSON: ${(error as Error).message}.`)
  }
}
