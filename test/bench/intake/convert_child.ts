/**
 * Reads one input as the product does, in a process of its own: `<kind> <size> <runs>`. Prints the least processor time of
 * the runs in milliseconds, and the most memory that the process had beyond what it had before, in MiB.
 */

import { parseHtml } from '../../../actors/knowledge/convert/confined/html.ts'
import { parsePdf } from '../../../actors/knowledge/convert/confined/pdf.ts'
import { parseMail } from '../../../http/cli/email/parse_mail.ts'
import { inputs, type Kind } from './inputs.ts'

const MAX_LENGTH = 10_000_000
const readers: Record<Kind, (bytes: Buffer) => unknown> = {
  mail: (bytes) => parseMail(bytes),
  pdf: (bytes) => parsePdf(Buffer.from(bytes), MAX_LENGTH),
  page: (bytes) => parseHtml(bytes, { url: null, charset: null }),
}

const [kind, size, runs] = process.argv.slice(2) as [Kind, string, string]
const bytes = inputs[kind].of(Number(size))
// Loads and compiles what the first reading needs.
await readers[kind](inputs[kind].of(1))
const before_mib = process.memoryUsage.rss() / 1024 / 1024
let ms = Number.POSITIVE_INFINITY
for (let run = 0; run < Number(runs); run++) {
  const before = process.cpuUsage()
  await readers[kind](bytes)
  const { user, system } = process.cpuUsage(before)
  ms = Math.min(ms, (user + system) / 1000)
}
const mib = Math.max(0, process.resourceUsage().maxRSS / 1024 - before_mib)
process.stdout.write(JSON.stringify({ ms, mib }))
