import { CommandFailure } from '../terminal/failure.ts'
import { printable, printJson, printLine } from '../terminal/terminal.ts'

/** The receiver's answer to the first attempt, as reported by the simulator. */
type WebhookOutcome = { status: number | null; body: string; error: string | null; duration_ms: number }

/** An answer of the simulator about what it has sent. */
export type Reported = { webhook: WebhookOutcome; provider_message_id: string }

/** Succeeds when Parley took it: the provider would repeat after any status but 200. */
export function report({ json }: { json?: boolean }, answer: Pick<Reported, 'webhook'>, sentence: string): void {
  const { status, body, error, duration_ms } = answer.webhook
  if (json) printJson(answer)
  else if (status === 200) printLine(`${sentence} Parley took it in ${duration_ms} ms.`)
  if (status === 200) return
  const reason = status === null ? error : `answered ${status}: ${printable(body).slice(0, 200)}`
  throw new CommandFailure(`Parley did not take it (${reason}); the simulator tries again.`)
}
