/** Converts documents to Markdown, a few at a time. */
import type { Readable } from 'node:stream'
import { FairSlots } from '../../../runtime/mod.ts'
import { type Confines, convertConfined } from './confined_process.ts'
import type { Converted } from './converted.ts'
import { type DocumentType, documentType, START_BYTES } from './document_type.ts'
import { ConversionFailed, MAX_DOCUMENT_LENGTH } from './failure.ts'
import { convertText, MAX_TEXT_BYTES } from './plain_text.ts'

export type ConverterOptions = {
  /** Maximum confined processes at once on this node. */
  slots: number
  confines?: Partial<Confines>
}

export type ConvertOptions = {
  /** Conversions are shared fairly among owners: the project's id. */
  owner: string
  /** Address of the document, to which its links relate. */
  url?: string | null
  /** Encoding of a text as its sender names it. */
  charset?: string | null
  signal?: AbortSignal
}

/** Opens the document from its start. It may be called twice. */
export type OpenDocument = () => Promise<Readable>

/**
 * A PDF of the largest size that is accepted takes half of the memory. Ordinary documents take less than a second of
 * the processor.
 */
const CONFINES: Confines = { memory_mib: 512, cpu_s: 30, limit_ms: 300_000 }
/** Documents at once whose start, or whose plain text, is read in this process. Each takes milliseconds. */
const READERS = 4

export class Converter {
  readonly #readers = new FairSlots(READERS)
  readonly #slots: FairSlots
  readonly #confines: Confines

  constructor({ slots, confines }: ConverterOptions) {
    // Hostile documents of one project may take all the time that each has.
    this.#slots = new FairSlots(slots, { max_of_one: Math.max(1, slots - 1) })
    this.#confines = { ...CONFINES, ...confines }
  }

  /** Confined processes, and documents that wait for one. */
  get load(): { running: number; waiting: number } {
    return { running: this.#slots.taken, waiting: this.#slots.waiting }
  }

  /** @throws {ConversionFailed} when the document cannot be converted; any other error may pass when it is tried again */
  async convert(open: OpenDocument, { owner, url = null, charset = null, signal }: ConvertOptions): Promise<Converted> {
    const text = await within(this.#readers, owner, signal, () => opened(open, readText))
    if (typeof text !== 'string') return text
    const type = text
    return within(this.#slots, owner, signal, () =>
      opened(open, async (source) => {
        const job = { type, url, charset, longest: MAX_DOCUMENT_LENGTH }
        return { type, ...(await convertConfined(source, job, this.#confines, signal)) }
      }),
    )
  }
}

/** The text of the document in Unicode, or its type when it needs a process of its own. */
async function readText(source: Readable): Promise<Converted | DocumentType> {
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  const start = await read(chunks, START_BYTES)
  const type = await documentType(start.bytes)
  if (type !== 'text/plain') return type
  const rest = await read(chunks, MAX_TEXT_BYTES - start.bytes.length)
  if (!rest.is_end) throw new ConversionFailed('too_long')
  return convertText(Buffer.concat([start.bytes, rest.bytes])) ?? type
}

async function within<Result>(
  slots: FairSlots,
  owner: string,
  signal: AbortSignal | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  const free = await slots.take(owner, signal)
  try {
    return await work()
  } finally {
    free()
  }
}

async function opened<Result>(open: OpenDocument, use: (source: Readable) => Promise<Result>): Promise<Result> {
  const source = await open()
  try {
    return await use(source)
  } finally {
    source.on('error', () => {}).destroy()
  }
}

/** Reads more than `limit` bytes, or all; `is_end`: the source has ended within the limit. */
async function read(chunks: AsyncIterator<Buffer>, limit: number): Promise<{ bytes: Buffer; is_end: boolean }> {
  const read: Buffer[] = []
  let size = 0
  while (size <= limit) {
    const { done, value } = await chunks.next()
    if (done) return { bytes: Buffer.concat(read), is_end: true }
    read.push(value)
    size += value.length
  }
  return { bytes: Buffer.concat(read), is_end: false }
}
