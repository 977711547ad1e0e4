import { LineCounter, parseDocument, visit } from 'yaml'
import { CommandFailure } from '../terminal/failure.ts'
import { isKept } from './exact_json.ts'
import { readFileOf } from './read_file.ts'

/** A document of YAML, of which JSON is a part, and the places of its values. */
export type YamlFile = {
  value: unknown
  /** The line of a value, from 1; of one that is missing, that of what should have it. */
  lineOf(path: readonly string[]): number
}

/**
 * Reads a file, or standard input for `-`.
 * @throws {CommandFailure} with the line, when it cannot be read, is no YAML or holds a number that would be rounded
 */
export async function readYamlOf(path: string): Promise<YamlFile> {
  const text = new TextDecoder().decode(await readFileOf(path))
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const at = (offset: number) => lines.linePos(offset).line
  const [error] = document.errors
  if (error) throw new CommandFailure(`${path}:${at(error.pos[0])} is no YAML: ${error.message}.`)
  visit(document, {
    Scalar(_, { value, source = '', range }) {
      if (typeof value === 'number' && !isKept(source)) {
        throw new CommandFailure(
          `${path}:${at(range?.[0] ?? 0)}: the number ${source.slice(0, 40)} would be rounded; write it as a text, in quotes.`,
        )
      }
    },
  })
  return { value: valueIn(path, () => document.toJS()), lineOf: (names) => at(offsetOf(document, names)) }
}

/** Aliases that would become far more than they are written as are refused. */
function valueIn(path: string, read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    throw new CommandFailure(`${path} cannot be used: ${(error as Error).message}.`)
  }
}

function offsetOf(document: ReturnType<typeof parseDocument>, names: readonly string[]): number {
  for (let length = names.length; length > 0; length--) {
    const keys = names.slice(0, length).map((name) => (/^\d+$/.test(name) ? Number(name) : name))
    const node = document.getIn(keys, true)
    if (isPlaced(node)) return node.range[0]
  }
  return document.contents?.range?.[0] ?? 0
}

function isPlaced(node: unknown): node is { range: [number, number, number] } {
  return typeof node === 'object' && node !== null && Array.isArray((node as { range: unknown }).range)
}
