/** A file compressed once for all clients, when the first of them takes it so. */
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const toBrotli = promisify(brotliCompress)
const toGzip = promisify(gzip)

/** In order of preference. */
const ENCODERS = {
  br: (body: Buffer) => toBrotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  gzip: (body: Buffer) => toGzip(body, { level: 9 }),
}

export type Encoding = keyof typeof ENCODERS

/** Smaller files gain nothing. */
const MIN_BYTES = 400

export class Compressed {
  readonly #body: Buffer
  readonly #encoded = new Map<Encoding, Promise<Buffer>>()

  constructor(body: Buffer) {
    this.#body = body
  }

  /** The smallest form that the value of `Accept-Encoding` allows; without `encoding` it is the file itself. */
  async of(accepted: string | undefined): Promise<{ body: Buffer; encoding?: Encoding }> {
    const encoding = this.#body.length < MIN_BYTES ? undefined : encodingOf(accepted)
    if (encoding === undefined) return { body: this.#body }
    let encoded = this.#encoded.get(encoding)
    if (encoded === undefined) {
      encoded = ENCODERS[encoding](this.#body)
      this.#encoded.set(encoding, encoded)
    }
    return { body: await encoded, encoding }
  }
}

/** Characters of the header that are read. Browsers send 25. */
const MAX_LIST_LENGTH = 200

/** The best encoding that a client accepts; one with a quality of zero it refuses (RFC 9110, 12.5.3). */
export function encodingOf(accepted = ''): Encoding | undefined {
  const names = accepted
    .slice(0, MAX_LIST_LENGTH)
    .toLowerCase()
    .split(',')
    .map((one) => one.split(';').map((part) => part.trim()))
    .filter(([, quality]) => quality === undefined || Number(quality.replace(/^q=/, '')) > 0)
    .map(([name]) => name)
  return (Object.keys(ENCODERS) as Encoding[]).find((encoding) => names.includes(encoding))
}
