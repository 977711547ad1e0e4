/** Data files of the PDF library: the character maps of East Asian encodings, and the widths of fonts that are not embedded. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const PACKAGE = new URL('./', import.meta.resolve('pdfjs-dist/package.json'))
const DIRECTORIES: Record<string, URL> = {
  cMapUrl: new URL('cmaps/', PACKAGE),
  standardFontDataUrl: new URL('standard_fonts/', PACKAGE),
}

/** Reads them from disk: the process has no network. */
class DataFiles {
  /** @throws {Error} for data that is not among them; the library goes on without it */
  async fetch({ kind, filename }: { kind: string; filename: string }): Promise<Uint8Array> {
    const directory = DIRECTORIES[kind]
    if (!directory || !/^[\w-]+(?:\.\w+)?$/.test(filename)) throw new Error(`there is no data ${filename}`)
    return new Uint8Array(await readFile(fileURLToPath(new URL(filename, directory))))
  }
}

/** Options with which the library finds its data. */
export const dataOptions = {
  BinaryDataFactory: DataFiles,
  cMapUrl: DIRECTORIES.cMapUrl!.href,
  cMapPacked: true,
  standardFontDataUrl: DIRECTORIES.standardFontDataUrl!.href,
  useWorkerFetch: false,
}
