/** `--contact`, `--customer` and `--project`: the subject of an export or an erasure. */
import type { Command } from 'commander'
import { CommandFailure } from '../terminal/failure.ts'

export type SubjectOptions = { contact?: string; customer?: string; project?: string }
export type Subject = { kind: 'contact' | 'customer' | 'project'; id: string }

const KINDS = ['contact', 'customer', 'project'] as const

export function withSubjectOptions(command: Command): Command {
  return command
    .option('--contact <id>', 'a contact: a person on one channel')
    .option('--customer <id>', 'a customer, with all contacts that are linked to the customer')
    .option('--project <id>', 'a whole project')
}

/** @throws {CommandFailure} unless exactly one is given */
export function subjectOf(options: SubjectOptions): Subject {
  const subjects = KINDS.flatMap((kind) => (options[kind] === undefined ? [] : [{ kind, id: options[kind] }]))
  if (subjects.length === 1) return subjects[0]!
  throw new CommandFailure('Give one of --contact, --customer and --project, with an id.', 2)
}

/** Words for kinds of records whose name says too little. */
const NOUNS: Record<string, string> = {
  media: 'file',
  idempotency: 'stored answer',
  agent_tool_call: 'test call of a tool',
}

/** `2 contacts, more than 1000 messages`. `most`: the counting stopped after this number. */
export function countsInWords(counts: Record<string, number>, most = Number.POSITIVE_INFINITY): string {
  const words = Object.entries(counts).map(([kind, count]) => {
    const noun = NOUNS[kind] ?? kind.replaceAll('_', ' ')
    const plural = /(s|x|ch)$/.test(noun) ? `${noun}es` : noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`
    return `${count > most ? `more than ${most}` : count} ${count === 1 ? noun : plural}`
  })
  return words.join(', ') || 'nothing'
}
