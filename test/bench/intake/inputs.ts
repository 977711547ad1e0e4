/** What arrives: a mail, a PDF file and a page, in any multiple of an ordinary size. */
import { type PdfLine, pdfFile } from '../../actors/knowledge/pdf_file.ts'

export type Kind = 'mail' | 'pdf' | 'page'

/** Pages of the PDF file, sections of the page of HTML, and paragraphs of the mail, at size 1. */
const PAGES = 20
const SECTIONS = 100
const PARAGRAPHS = 100
const SENTENCE =
  'The house at the harbour serves green and black tea from four mountains, every day from eight to four. '

export const inputs: Record<Kind, { name: string; of: (size: number) => Buffer }> = {
  mail: { name: 'a mail of 160 KB with a file', of: mail },
  pdf: { name: 'a PDF file of 20 pages', of: pdf },
  page: { name: 'a page of HTML of 80 KB', of: page },
}

function mail(size: number): Buffer {
  const paragraphs = SENTENCE.repeat(3)
    .match(/.{1,76}/g)!
    .join('\r\n')
  const text = `${paragraphs}\r\n\r\n`.repeat(PARAGRAPHS * size)
  const html = `<p>${paragraphs}</p>\r\n`.repeat(PARAGRAPHS * size)
  const file = Buffer.alloc(70_000 * size, 'tea')
    .toString('base64')
    .match(/.{1,76}/g)!
    .join('\r\n')
  const part = (headers: string, body: string) => `--b\r\n${headers}\r\n\r\n${body}\r\n`
  const head =
    'From: Ines <ines@quay.example>\r\nTo: desk@house.example\r\nSubject: Tea\r\nMessage-ID: <1@quay.example>\r\n'
  const parts = [
    part('Content-Type: text/plain; charset=utf-8', text),
    part('Content-Type: text/html; charset=utf-8', html),
    part(
      'Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=a.bin\r\nContent-Transfer-Encoding: base64',
      file,
    ),
  ]
  return Buffer.from(`${head}Content-Type: multipart/mixed; boundary=b\r\n\r\n${parts.join('')}--b--\r\n`)
}

function pdf(size: number): Buffer {
  const lines = (page: number) =>
    Array.from(
      { length: 45 },
      (_, at): PdfLine => ({ text: `${page}.${at} ${SENTENCE.slice(0, 80)}`, y: 760 - 15 * at }),
    )
  return pdfFile(Array.from({ length: PAGES * size }, (_, page) => lines(page)))
}

function page(size: number): Buffer {
  const row = (at: number) => `<tr><td>Pot ${at}</td><td>${at}.50 €</td><td><a href="/pot/${at}">more</a></td></tr>`
  const section = (at: number) =>
    `<h2><button>Is pot ${at} refilled?</button></h2><div hidden><p>${SENTENCE}<b>${at}</b></p><ul><li>green</li><li>black</li></ul><table>${row(at)}${row(at + 1)}</table></div>`
  return Buffer.from(
    `<!doctype html><html><body>${Array.from({ length: SECTIONS * size * 2 }, (_, at) => section(at)).join('\n')}</body></html>`,
  )
}
