import type { Answer } from './answer.ts'
import type { Behaviour } from './faults.ts'

const HTML = Buffer.from('<!DOCTYPE html><html><title>502</title><body>Sorry, something went wrong.</body></html>')

/** The format of a provider's refusals. */
export type Dialect = {
  /** The answer for an error requested by a fault rule or a magic recipient. */
  refusal(error: NonNullable<Behaviour['error']>): Answer
  /** The answer for an error of a route; undefined when it is not a refusal of this provider. */
  answerOf(error: unknown): Answer | undefined
}

/**
 * Runs an operation under a behaviour: a fault before it prevents the operation, a fault after it loses only the
 * answer. A refusal thrown by it is answered in the provider's format.
 */
export function behaveAs(
  dialect: Dialect,
  behaviour: Behaviour | undefined,
  latency_ms: number,
  run: () => Answer,
): Answer {
  const answer = decide(dialect, behaviour, run)
  const wait = behaviour?.latency_ms ?? latency_ms
  if (wait > 0) answer.latency_ms = wait
  return answer
}

function decide(dialect: Dialect, behaviour: Behaviour | undefined, run: () => Answer): Answer {
  if (!behaviour) return answerAs(dialect, run)
  const { reset, hang, garbage, error } = behaviour
  if (reset === 'before') return { status: 0, fate: 'reset' }
  if (hang === 'before') return { status: 0, fate: 'hang' }
  if (garbage) return { status: 502, content_type: 'text/html; charset=utf-8', body: HTML }
  if (error) return dialect.refusal(error)
  const answer = answerAs(dialect, run)
  if (reset === 'after') return { status: 0, fate: 'reset' }
  if (hang === 'after') return { status: 0, fate: 'hang' }
  return answer
}

/** The answer of an operation, with its refusal turned into one. */
export function answerAs(dialect: Dialect, run: () => Answer): Answer {
  try {
    return run()
  } catch (error) {
    const answer = dialect.answerOf(error)
    if (answer) return answer
    throw error
  }
}
