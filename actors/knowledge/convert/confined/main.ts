/**
 * The program of the confined process: reads one document from its standard input and writes one answer. Parsers are
 * loaded when needed, because loading both takes longer than most conversions.
 */

import { denyNetworkAndSignals } from '../../../confined/deny.ts'
import { hasAtMost } from '../../../values/characters.ts'
import { cleanText, cleanTitle } from '../clean_text.ts'
import type { ConfinedAnswer, ConfinedJob } from '../confined_process.ts'
import { ConversionFailed } from '../failure.ts'
import type { Parsed } from './parsed.ts'

async function answerTo(bytes: Uint8Array, job: ConfinedJob): Promise<ConfinedAnswer> {
  try {
    const { title, content, warnings } = await parse(bytes, job)
    const clean = cleanText(content)
    if (!/[\p{L}\p{N}]/u.test(clean)) return { failure: isExhausted() ? 'too_complex' : 'no_text' }
    if (!hasAtMost(clean, job.longest)) return { failure: 'too_long' }
    return { title: cleanTitle(title), content: clean, warnings }
  } catch (error) {
    if (error instanceof ConversionFailed) return { failure: error.code }
    // A full stack, and an array that the limit of the memory refused.
    if (error instanceof RangeError || isExhausted()) return { failure: 'too_complex' }
    return { failure: 'broken' }
  }
}

async function parse(bytes: Uint8Array, { type, longest, ...context }: ConfinedJob): Promise<Parsed> {
  if (type === 'text/html') return (await import('./html.ts')).parseHtml(bytes, context)
  if (type === 'text/plain') return (await import('./text.ts')).parseText(bytes, context)
  return (await import('./pdf.ts')).parsePdf(bytes, longest)
}

/** Parsers swallow the refusal of memory, and go on with what they have. */
let refusals = 0

function isExhausted(): boolean {
  return refusals > 0
}

/** Counts allocations that the limit of the memory refused. */
function watchAllocations(): void {
  for (const name of [
    'ArrayBuffer',
    'Uint8Array',
    'Uint16Array',
    'Uint32Array',
    'Int32Array',
    'Float32Array',
  ] as const) {
    const original = globalThis[name] as unknown as new (...values: unknown[]) => object
    const watched = new Proxy(original, {
      construct(target, values, self) {
        try {
          return Reflect.construct(target, values, self)
        } catch (error) {
          if (error instanceof RangeError) refusals++
          throw error
        }
      },
    })
    Object.defineProperty(globalThis, name, { value: watched, writable: true, configurable: true })
  }
}

const job = JSON.parse(process.argv[2]!) as ConfinedJob
watchAllocations()
denyNetworkAndSignals()
const chunks: Buffer[] = []
for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
const answer = await answerTo(Buffer.concat(chunks.splice(0)), job)
process.stdout.write(JSON.stringify(answer))
