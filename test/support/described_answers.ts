/** What the descriptions of the APIs promise and no test of a run has seen. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiNames, described } from './described.ts'

/**
 * Codes that the server gives before or around the work of any operation alike. They are proven where they arise, not on
 * each operation: `test/http/tls.test.ts`, `bodies.test.ts`, `idempotency.test.ts`, `concurrency_limiter.test.ts`,
 * `erasure.test.ts`.
 */
const ANYWHERE = [
  'HTTPS_REQUIRED',
  'REQUEST_TIMEOUT',
  'IDEMPOTENCY_IN_PROGRESS',
  'IDEMPOTENCY_KEY_REUSED',
  'IDEMPOTENCY_ANSWER_ERASED',
  'INTERNAL_SERVER_ERROR',
  'SERVICE_UNAVAILABLE',
]

/** The lines that `drift.ts` noted in the directory, in the order of the descriptions, each as `operation status code`. */
export function unseenAnswers(directory: string): string[] {
  const seen = new Set(
    readdirSync(directory).flatMap((file) => readFileSync(join(directory, file), 'utf8').split('\n')),
  )
  return apiNames.flatMap(promised).filter((line) => !seen.has(line))
}

function promised(name: (typeof apiNames)[number]): string[] {
  const document = described(name)
  // biome-ignore lint/suspicious/noExplicitAny: a part of a document is JSON
  const operations = Object.values<any>(document.paths).flatMap((item) => Object.values<any>(item))
  return operations.flatMap(({ operationId, responses }) =>
    // biome-ignore lint/suspicious/noExplicitAny: a part of a document is JSON
    Object.entries<any>(responses).flatMap(([status, response]) => {
      if (Number(status) < 400) return `${operationId} ${status}`
      const shared = response.$ref ? document.components.responses[response.$ref.split('/').at(-1)] : response
      const { examples } = shared.content['application/json']
      // biome-ignore lint/suspicious/noExplicitAny: a part of a document is JSON
      const codes = Object.values<any>(examples).map(({ value }) => value.error.code ?? 'UNAUTHENTICATED')
      // Without a rate limit of the project, callers are limited by their address alone.
      const is_limited = JSON.stringify(shared.headers).includes('X-RateLimit')
      const is_anywhere = (code: string) => ANYWHERE.includes(code) || (code === 'THROTTLED' && !is_limited)
      return codes.filter((code) => !is_anywhere(code)).map((code) => `${operationId} ${status} ${code}`)
    }),
  )
}
