/** The progress of a turn: what the model will see besides the conversation, and what the record of the turn shows. */
import type { ToolsRun } from './assistant_at_work.ts'
import type { CurrentTurn } from './state.ts'

export type Progress = Pick<CurrentTurn, 'exchange' | 'sources' | 'links' | 'documents' | 'steps' | 'is_repaired'>

export function newProgress(): Progress {
  return { exchange: [], sources: [], links: [], documents: [], steps: [], is_repaired: false }
}

/** Adds the results of tools that the model called. */
export function addTools(progress: Progress, run: ToolsRun): void {
  progress.steps.push(...run.steps)
  progress.sources.push(...run.sources)
  progress.links.push(...run.links)
  progress.documents.push(...run.documents)
  for (const result of run.results) progress.exchange.push({ role: 'tool', ...result })
}

/** Adds an answer that the model is to mend, with what it has to do. */
export function addRepair(progress: Progress, text: string, instruction: string): void {
  progress.is_repaired = true
  progress.exchange.push(
    { role: 'assistant', text, tool_calls: [] },
    { role: 'user', parts: [{ type: 'text', text: instruction }] },
  )
}
