/** PDF files whose text is in a font of many letters, as programs in East Asia write them. */
import { written } from '../actors/knowledge/pdf_file.ts'

export type FontOptions = {
  /** Name of the map from codes to letters, such as `90ms-RKSJ-H`. */
  encoding: string
  /** The collection of letters, such as `Japan1`; `Identity` says nothing of them. */
  ordering: string
  /** Codes, in hex. */
  codes: string
  /** A line in Latin letters before. */
  line?: string
}

/** One page with a text in a font that is not embedded. */
export function fontPdf({ encoding, ordering, codes, line }: FontOptions): Buffer {
  const drawn = `${line ? `BT /L 11 Tf 1 0 0 1 72 700 Tm (${line}) Tj ET ` : ''}BT /F 11 Tf 1 0 0 1 72 660 Tm <${codes}> Tj ET`
  return written([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F 4 0 R /L 7 0 R >> >> /Contents 6 0 R >>',
    `<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /${encoding} /DescendantFonts [5 0 R] >>`,
    `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /X /CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 2 >> /FontDescriptor 8 0 R >>`,
    Buffer.from(`<< /Length ${drawn.length} >>\nstream\n${drawn}\nendstream`),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    '<< /Type /FontDescriptor /FontName /X /Flags 4 /FontBBox [0 0 1000 1000] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>',
  ])
}
