/** A question to the model outside of a conversation's actor, asked until there is an answer or no time for another one. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { AssistantSettings, TurnStep } from '../../storage/mod.ts'
import type { Question } from '../assistants/mod.ts'
import { type Asking, askModel, type ModelServices, type ReadThought } from './ask_model.ts'
import { retryPause, waits } from './pace.ts'

type Patience = {
  /** A moment of `performance.now()`. */
  deadline: number
  /** Gets a step for each call. */
  steps: TurnStep[]
  signal: AbortSignal
}

/** The thought has the code `aborted` when the caller left. */
export async function askPatiently(
  services: ModelServices,
  asking: Omit<Asking, 'deadline_ms'>,
  question: Question,
  settings: AssistantSettings,
  { deadline, steps, signal }: Patience,
): Promise<ReadThought> {
  const left = () => deadline - performance.now()
  for (let failures = 0; ; ) {
    const deadline_ms = Math.max(1, Math.min(waits.model_ms, left()))
    const thought = await askModel(services, { ...asking, deadline_ms }, question, settings, signal)
    if (thought.step) steps.push(thought.step)
    if (thought.kind !== 'failed' || !thought.can_retry || thought.code === 'aborted') return thought
    failures++
    const pause_ms = retryPause(failures, thought.retry_after_s, waits)
    if (failures > waits.retries || pause_ms + waits.least_ms > left()) return thought
    const has_waited = await sleep(pause_ms, true, { signal }).catch(() => false)
    if (!has_waited) return { ...thought, code: 'aborted', step: null }
  }
}
