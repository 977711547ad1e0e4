import type { Answer } from '../../answer.ts'
import { answerAs, behaveAs, type Dialect } from '../../behave.ts'
import type { Behaviour } from '../../faults.ts'
import { GraphError, graphErrorAnswer } from './errors.ts'

const DIALECT: Dialect = {
  refusal: ({ code, ...fields }) => graphErrorAnswer(new GraphError(code, fields)),
  answerOf: (error) => (error instanceof GraphError ? graphErrorAnswer(error) : undefined),
}

/** Runs an operation under a behaviour. A GraphError thrown by it is answered in Meta's format. */
export function behave(behaviour: Behaviour | undefined, latency_ms: number, run: () => Answer): Answer {
  return behaveAs(DIALECT, behaviour, latency_ms, run)
}

/** The answer of an operation, with its GraphError turned into one. */
export function answerOf(run: () => Answer): Answer {
  return answerAs(DIALECT, run)
}
