/** The headers of a part of a form, of which the parser of forms keeps only some. */
import { Transform } from 'node:stream'

/** Bytes before the present chunk in which the headers of a part may begin; the parser takes as many of them. */
const MAX_HEADERS = 16_384
const NAMED = /^name *= *"?file"?$/i
const TYPE = /^content-type *:(.{0,1000})/i

/** Passes a form on, and remembers its end as it arrives, where the part that the parser reports has its headers. */
export class PartHeaders extends Transform {
  readonly #start: Buffer
  #recent: Buffer = Buffer.alloc(0)
  #is_taken = false

  /** `boundary`: of the parts, without the dashes before it. */
  constructor(boundary: string) {
    // The parser has had all that passed before, but for one chunk.
    super({ readableHighWaterMark: 1 })
    this.#start = Buffer.from(`--${boundary}`, 'latin1')
  }

  override _transform(chunk: Buffer, _: string, done: (error: null, chunk: Buffer) => void): void {
    if (!this.#is_taken) {
      const tail = this.#recent.subarray(Math.max(0, this.#recent.length - MAX_HEADERS))
      this.#recent = Buffer.concat([tail, chunk])
    }
    done(null, chunk)
  }

  /** The content type of the part `file`, with its parameters, as soon as the parser reports it. */
  takeTypeOfFile(): string | undefined {
    this.#is_taken = true
    for (let at = this.#recent.indexOf(this.#start); at >= 0; at = this.#recent.indexOf(this.#start, at + 1)) {
      const end = this.#recent.indexOf('\r\n\r\n', at)
      const last = end < 0 ? undefined : Math.min(end, at + MAX_HEADERS)
      const lines = this.#recent.toString('latin1', at, last).split('\r\n')
      if (isFile(lines)) return lines.map((line) => TYPE.exec(line)?.[1]?.trim()).find((type) => type !== undefined)
    }
    return undefined
  }
}

function isFile(lines: readonly string[]): boolean {
  const disposition = lines.find((line) => /^content-disposition *:/i.test(line)) ?? ''
  return disposition.split(';').some((parameter) => NAMED.test(parameter.trim()))
}

/** The boundary that a content type names. */
export function boundaryOf(content_type: string): string | undefined {
  const found = /;\s{0,9}boundary\s{0,9}=\s{0,9}(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(content_type)
  return found?.[1] ?? found?.[2]
}
