/**
 * Reports the progress of work that goes on after the answer of its operation: imports of documents and broadcasts.
 * Only for clients that asked for it with a progress token. The result then comes when the work has ended, or after a
 * minute.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { CallToolResult } from '@modelcontextprotocol/server'

const MAX_MS = 60_000
const FIRST_WAIT_MS = 100
const MAX_WAIT_MS = 2000

export type Progress = { progress: number; total: number; message: string }

type Followed = {
  /** The operation that shows the state of the work, and its arguments. */
  operation: string
  argumentsOf(result: Record<string, unknown>): Record<string, unknown>
  read(state: Record<string, unknown>): Progress & { is_over: boolean }
}

const ofImport: Followed = {
  operation: 'get_knowledge_import',
  argumentsOf: ({ _id }) => ({ id: _id }),
  read({ status, name }) {
    const is_over = status === 'done' || status === 'failed'
    return { progress: is_over ? 2 : status === 'running' ? 1 : 0, total: 2, message: `${name}: ${status}`, is_over }
  },
}

const ofBroadcast: Followed = {
  operation: 'get_broadcast',
  argumentsOf: ({ broadcast_id }) => ({ id: broadcast_id }),
  read({ status, total, pending_count }) {
    const is_over = status !== 'queued' && status !== 'sending'
    const progress = Number(total) - Number(pending_count)
    return { progress, total: Number(total), message: `${progress} of ${total} sent, ${status}`, is_over }
  },
}

/** The operations whose work goes on after their answer. */
export const FOLLOWED: Readonly<Record<string, Followed>> = {
  import_knowledge_file: ofImport,
  import_knowledge_url: ofImport,
  repeat_knowledge_import: ofImport,
  send_bulk: ofBroadcast,
}

type Following = {
  call(operation: string, sent: Record<string, unknown>): Promise<CallToolResult>
  report(progress: Progress): Promise<void>
  /** Ends the wait early: the client left, or the node stops. */
  signal: AbortSignal
}

/** Reports until the work has ended. Adds its last state to the content of the result. */
export async function follow(
  { operation, argumentsOf, read }: Followed,
  result: CallToolResult,
  { call, report, signal }: Following,
): Promise<CallToolResult> {
  const sent = argumentsOf(result.structuredContent as Record<string, unknown>)
  const deadline = performance.now() + MAX_MS
  let reported = -1
  let last: CallToolResult['content'] = []
  for (let pause = FIRST_WAIT_MS; ; pause = Math.min(pause * 1.5, MAX_WAIT_MS)) {
    const answer = await call(operation, sent)
    if (answer.isError) break
    last = answer.content
    const { is_over, ...progress } = read(answer.structuredContent as Record<string, unknown>)
    // Progress must increase with each report.
    if (progress.progress > reported) await report(progress)
    reported = Math.max(reported, progress.progress)
    if (is_over || signal.aborted || performance.now() > deadline) break
    await wait(pause, undefined, { signal }).catch(() => {})
  }
  return { ...result, content: [...(result.content ?? []), ...(last ?? [])] }
}
