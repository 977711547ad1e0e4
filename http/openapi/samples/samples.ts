/** Code samples of an operation, which run as they are once the token and the ids are set. */
import type { DescribedOperation } from '../describe.ts'
import { type Call, callOf } from './call.ts'
import { curlSample } from './curl.ts'
import { pythonSample } from './python.ts'
import { typescriptSample } from './typescript.ts'

export type CodeSample = { lang: string; label: string; source: string }

const languages: [lang: string, label: string, write: (call: Call) => string][] = [
  ['Shell', 'curl', curlSample],
  ['TypeScript', 'TypeScript', typescriptSample],
  ['Python', 'Python', pythonSample],
]

export function samplesOf(operation: DescribedOperation, base_url: string): CodeSample[] {
  const call = callOf(operation, base_url)
  return languages.map(([lang, label, write]) => ({ lang, label, source: write(call) }))
}
