/** Converts documents to Markdown, a few at a time. */
import { PassThrough, type Readable } from 'node:stream'
import { type Confines, convertConfined } from './confined_process.ts'
import type { Converted } from './converted.ts'
import { documentType, START_BYTES } from './document_type.ts'
import { ConversionFailed, LONGEST_DOCUMENT } from './failure.ts'
import { convertText, MOST_TEXT_BYTES } from './plain_text.ts'
import { FairSlots } from './slots.ts'

export type ConverterOptions = {
  /** Maximum conversions at once on this node. */
  slots: number
  confines?: Partial<Confines>
}

export type ConvertOptions = {
  /** Conversions are shared fairly among owners: the project's id. */
  owner: string
  /** Address of the document, to which its links relate. */
  url?: string | null
  signal?: AbortSignal
}

/**
 * A PDF of the largest size that is accepted takes half of the memory. Ordinary documents take less than a second of
 * the processor.
 */
const CONFINES: Confines = { memory_mib: 512, cpu_s: 30, limit_ms: 180_000 }

export class Converter {
  readonly #slots: FairSlots
  readonly #confines: Confines

  constructor({ slots, confines }: ConverterOptions) {
    this.#slots = new FairSlots(slots)
    this.#confines = { ...CONFINES, ...confines }
  }

  /** Conversions under way, and those that wait for a place. */
  get load(): { running: number; waiting: number } {
    return { running: this.#slots.taken, waiting: this.#slots.waiting }
  }

  /**
   * `open` is called when the document's turn has come.
   *
   * @throws {ConversionFailed} when the document cannot be converted; any other error may pass when it is tried again
   */
  async convert(open: () => Promise<Readable>, { owner, url = null, signal }: ConvertOptions): Promise<Converted> {
    const free = await this.#slots.take(owner, signal)
    try {
      const source = await open()
      try {
        return await this.#convert(source, url, signal)
      } finally {
        source.on('error', () => {}).destroy()
      }
    } finally {
      free()
    }
  }

  async #convert(source: Readable, url: string | null, signal: AbortSignal | undefined): Promise<Converted> {
    const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer>
    const start = await read(chunks, START_BYTES)
    const type = await documentType(start.bytes)
    if (type === 'text/plain') {
      const rest = await read(chunks, MOST_TEXT_BYTES - start.bytes.length)
      if (!rest.is_end) throw new ConversionFailed('too_long')
      return convertText(Buffer.concat([start.bytes, rest.bytes]))
    }
    const whole = rejoined(start.bytes, chunks)
    return { type, ...(await convertConfined(whole, { type, url, longest: LONGEST_DOCUMENT }, this.#confines, signal)) }
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

/** The start again, then the rest. */
function rejoined(start: Buffer, rest: AsyncIterator<Buffer>): Readable {
  const whole = new PassThrough()
  const pour = async () => {
    for (let chunk: Buffer | undefined = start; chunk && !whole.destroyed; ) {
      if (!whole.write(chunk)) await drained(whole)
      const next = await rest.next()
      chunk = next.done ? undefined : next.value
    }
    whole.end()
  }
  pour().catch((error) => whole.destroy(error as Error))
  return whole
}

function drained(stream: PassThrough): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done).off('close', done)
      resolve()
    }
    stream.on('drain', done).on('close', done)
  })
}
