/** The project's side of assistants' turns: their conclusions, and what their tools ask for. */
import type { Feature } from '../turn/feature.ts'
import { answerFailed } from './answer_failed.ts'
import { assistantAsks } from './asked.ts'
import { assistantConcluded } from './concluded.ts'

export const assistantAnswers = {
  receivers: { answer_failed: answerFailed, assistant_asks: assistantAsks, assistant_concluded: assistantConcluded },
} satisfies Feature
