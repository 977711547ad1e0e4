import { type Logger, pino } from 'pino'
import { hideSecretsInText } from '../../storage/mod.ts'

/** Longer texts are cut, because a failed statement carries its values. */
const MAX_TEXT = 1000

const redacted = ['authorization', 'cookie', 'token', 'secret', 'password', 'credentials', 'operator_key']

/** A JSON log on standard output. Secrets are taken out of known fields and of the text of errors. */
export function createLog(level = 'info', destination?: { write(line: string): void }): Logger {
  const options = {
    level,
    base: null,
    formatters: { level: (level: string) => ({ level }) },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: redacted.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
    serializers: { error: describeError },
  }
  return destination ? pino(options, destination) : pino(options)
}

/** An error as fields of a log line, without secrets. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return scrub(String(error))
  const { name, code, stack } = error as Error & { code?: unknown }
  return { name, code, message: scrub(error.message), stack: scrub(stackOf(stack)) }
}

/** The stack without the message, which is logged once, and cut. */
function stackOf(stack = ''): string {
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n')
}

function scrub(text: string): string {
  const short = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text
  return hideSecretsInText(short)
}
