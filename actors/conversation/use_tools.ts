/** The tools that a model called in one step, one after the other. */
import { newDate, type TurnStep } from '../../storage/mod.ts'
import { mayCall, runTool, type ToolContext } from '../assistants/mod.ts'
import type { ModelToolCall } from '../models/mod.ts'
import type { ToolsRun } from './assistant_at_work.ts'

/** Characters of a tool's arguments and result in the record of a turn. */
const MAX_RECORDED = 4000

export type ToolsUsed = {
  tool_calls: readonly ModelToolCall[]
  /** Those of the turn so far. */
  steps: readonly TurnStep[]
  /** The number of the next source, from 1. */
  first_source: number
  context: Omit<ToolContext, 'first_source' | 'askProject'>
  /** The way to the project for the call of this index. Undefined where nothing may be changed. */
  askProjectOf(index: number): ToolContext['askProject']
}

/** The cut may be within a character, of which PostgreSQL stores no half. */
const recorded = (text: string) => text.slice(0, MAX_RECORDED).toWellFormed()

export function emptyRun(): ToolsRun {
  return {
    ...{ results: [], steps: [], sources: [], links: [], documents: [] },
    ...{ hand_over: null, is_endless: false },
  }
}

export async function useTools({
  tool_calls,
  steps,
  first_source,
  context,
  askProjectOf,
}: ToolsUsed): Promise<ToolsRun> {
  const run = emptyRun()
  for (const [index, call] of tool_calls.entries()) {
    const started = newDate()
    const begun = performance.now()
    const allowed = mayCall([...steps, ...run.steps], call)
    if (!allowed.may) {
      const { code, message } = allowed
      if (code === 'too_many_steps') run.is_endless = true
      run.results.push(resultOf(call, message))
      // It counts as a call: a model that repeats one for ever has an end.
      run.steps.push({ ...stepOf(call, started), ms: 0, error: { code, message } })
      continue
    }
    const ended = await runTool(call, {
      ...context,
      first_source: first_source + run.sources.length,
      askProject: askProjectOf(index),
    })
    run.results.push(resultOf(call, ended.result))
    run.sources.push(...(ended.sources ?? []))
    run.links.push(...ended.links)
    run.documents.push(...(ended.documents ?? []))
    if (ended.effect) run.hand_over = ended.effect
    run.steps.push({
      ...stepOf(call, started),
      ms: Math.round(performance.now() - begun),
      ...(ended.error && { error: ended.error }),
      result: recorded(ended.result),
    })
  }
  return run
}

function stepOf({ name, arguments: given }: ModelToolCall, started: Date) {
  return {
    ...{ kind: 'tool' as const, name: name.slice(0, 200), started_at: started.toISOString() },
    arguments: recorded(given),
  }
}

const resultOf = ({ id, name }: { id: string; name: string }, result: string) => ({
  ...{ tool_call_id: id, tool_name: name, result },
})
