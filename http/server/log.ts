import { type Logger, pino } from 'pino'
import { hideSecretsInText } from '../../storage/mod.ts'

/** Longer texts are cut, because a failed statement carries its values. */
const MAX_TEXT = 1000

const SECRET = new Set(['authorization', 'cookie', 'token', 'secret', 'password', 'credentials', 'operator_key'])
/** Names of secrets are looked for in so many levels of fields. */
const LEVELS = 3

/** A JSON log on standard output. Secrets are taken out of known fields and of the text of errors. */
export function createLog(level = 'info', destination?: { write(line: string): void }): Logger {
  const options = {
    level,
    base: null,
    formatters: {
      level: (level: string) => ({ level }),
      log: (fields: object) => hideSecrets(fields, LEVELS) as Record<string, unknown>,
    },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { error: describeError },
  }
  return destination ? pino(options, destination) : pino(options)
}

/** The fields, copied where one has the name of a secret. The redaction of pino takes ten times the time of the rest of a line. */
function hideSecrets(fields: object, levels: number): object {
  let copy: Record<string, unknown> | undefined
  for (const [name, value] of Object.entries(fields)) {
    const hidden = SECRET.has(name) ? '[redacted]' : isDeep(value, levels) ? hideSecrets(value, levels - 1) : value
    if (hidden === value) continue
    copy ??= Array.isArray(fields) ? (Object.assign([], fields) as unknown as Record<string, unknown>) : { ...fields }
    copy[name] = hidden
  }
  return copy ?? fields
}

/** Errors and values with a form of their own are written without their fields. */
function isDeep(value: unknown, levels: number): value is object {
  if (typeof value !== 'object' || value === null || levels === 1) return false
  return !(value instanceof Error) && !ArrayBuffer.isView(value) && !('toJSON' in value)
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
