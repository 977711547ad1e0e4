/** Answers that the descriptions of the APIs promise and no test of a run has seen: each status and code of each operation. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ApiName } from '../../http/openapi/apis.ts'
import { apiNames, preparedDocument } from '../support/prepared_descriptions.ts'

/** These are answered from memory once they are made: nothing that they need can fail. */
export const FROM_MEMORY = ['get_openapi', 'get_operator_openapi']
const FAULTS = ['INTERNAL_SERVER_ERROR', 'SERVICE_UNAVAILABLE']

/**
 * Returns what no line says that `drift.ts` noted in `directory`, in the order of the descriptions, each as `operation
 * status code`. `descriptions`: where the run prepared them.
 */
export function unseenAnswers(directory: string, descriptions: string): string[] {
  const seen = new Set(
    readdirSync(directory).flatMap((file) => readFileSync(join(directory, file), 'utf8').split('\n')),
  )
  return apiNames.flatMap((name) => promised(descriptions, name)).filter((line) => !seen.has(line))
}

function promised(descriptions: string, name: ApiName): string[] {
  const document = preparedDocument(descriptions, name)
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
      const given = FROM_MEMORY.includes(operationId) ? codes.filter((code) => !FAULTS.includes(code)) : codes
      return given.map((code) => `${operationId} ${status} ${code}`)
    }),
  )
}
