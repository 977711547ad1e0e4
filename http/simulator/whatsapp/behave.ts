import type { Answer } from '../answer.ts'
import type { Behaviour } from '../faults.ts'
import { GraphError, graphErrorAnswer } from './errors.ts'

const HTML = Buffer.from('<!DOCTYPE html><html><title>502</title><body>Sorry, something went wrong.</body></html>')

/**
 * Runs an operation under a behaviour: what strikes before it keeps it from running, what strikes after it loses only
 * the answer. A GraphError thrown by it is answered in Meta's shape.
 */
export function behave(behaviour: Behaviour | undefined, latency_ms: number, run: () => Answer): Answer {
  const answer = decide(behaviour, run)
  const wait = behaviour?.latency_ms ?? latency_ms
  if (wait > 0) answer.latency_ms = wait
  return answer
}

function decide(behaviour: Behaviour | undefined, run: () => Answer): Answer {
  if (!behaviour) return answerOf(run)
  const { reset, hang, garbage, error } = behaviour
  if (reset === 'before') return { status: 0, fate: 'reset' }
  if (hang === 'before') return { status: 0, fate: 'hang' }
  if (garbage) return { status: 502, content_type: 'text/html; charset=utf-8', body: HTML }
  if (error) {
    const { code, ...fields } = error
    return graphErrorAnswer(new GraphError(code, fields))
  }
  const answer = answerOf(run)
  if (reset === 'after') return { status: 0, fate: 'reset' }
  if (hang === 'after') return { status: 0, fate: 'hang' }
  return answer
}

/** The answer of an operation, with its GraphError turned into one. */
export function answerOf(run: () => Answer): Answer {
  try {
    return run()
  } catch (error) {
    if (error instanceof GraphError) return graphErrorAnswer(error)
    throw error
  }
}
