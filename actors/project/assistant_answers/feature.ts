/** What turns of assistants conclude, and what their tools ask of the project. */
import type { Feature } from '../turn/feature.ts'
import { assistantAsks } from './asked.ts'
import { assistantConcluded } from './concluded.ts'

export const assistantAnswers = {
  receivers: { assistant_asks: assistantAsks, assistant_concluded: assistantConcluded },
} satisfies Feature
