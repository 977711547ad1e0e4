/** Documents that are made to take memory or time. */
import t from 'tap'
import { ConversionFailed, Converter } from '../../../actors/knowledge/convert/mod.ts'
import { conversions, convert, page, read } from './conversions.ts'
import {
  deepHtml,
  flateBomb,
  formsInForms,
  hugeTable,
  objectStreamBomb,
  oneLine,
  unclosed,
} from './hostile_documents.ts'
import { pdfFile } from './pdf_file.ts'

/** Enough for ordinary documents. The more memory there is, the longer V8 collects before it gives up. */
const MEMORY_MIB = 160
/** Enough for a bomb to fill the memory, and too little for one that only takes time. */
const [MUCH_S, LITTLE_S] = [20, 1]

t.test('ordinary documents need little of what a conversion may have', async (t) => {
  const strict = new Converter({ slots: 1, confines: { memory_mib: MEMORY_MIB, cpu_s: MUCH_S } })
  t.equal((await convert(page('<p>Hello <i>you</i></p>'), strict)).content, '# Returns | Shop\n\nHello *you*')
  t.equal((await convert(pdfFile([[{ text: 'text', y: 700 }]]), strict)).content, 'text')
})

const bombs: [name: string, file: () => Buffer, cpu_s: number][] = [
  ['a page that inflates to half a gigabyte', () => flateBomb(512), MUCH_S],
  ['an object stream that inflates to half a gigabyte', () => objectStreamBomb(512), MUCH_S],
  ['forms within forms', formsInForms, LITTLE_S],
  ['200,000 nested elements', () => deepHtml(200_000), LITTLE_S],
  ['a table of a million rows', () => hugeTable(1_000_000), MUCH_S],
  ['40 MB of HTML on one line', () => Buffer.concat([Buffer.from('<html><body>'), oneLine(40_000_000)]), MUCH_S],
  ['400,000 unclosed elements', () => unclosed(100_000), LITTLE_S],
]

for (const [name, file, cpu_s] of bombs) {
  t.test(`ends ${name} within its memory and its processor time`, async (t) => {
    const strict = new Converter({ slots: 1, confines: { memory_mib: MEMORY_MIB, cpu_s } })
    const bytes = file()
    let max_kib = 0
    let watching_us = 0
    const watch = setInterval(() => {
      const begun = process.cpuUsage()
      for (const pid of conversions()) max_kib = Math.max(max_kib, peakOf(pid))
      watching_us += microseconds(process.cpuUsage(begun))
    }, 20)
    const before = process.cpuUsage()
    const error = await convert(bytes, strict).then(
      () => undefined,
      (error: unknown) => error,
    )
    clearInterval(watch)
    const own_us = microseconds(process.cpuUsage(before)) - watching_us
    t.match(error, { constructor: ConversionFailed, code: 'too_complex' }, String(error))
    t.equal(strict.load.running, 0)
    // The code of Node.js itself is mapped from its file, outside the limit.
    t.ok(max_kib < (MEMORY_MIB + 128) * 1024, `the process had ${max_kib} KiB at most`)
    t.ok(own_us / 1e6 < cpu_s, `this process took ${own_us} µs of the processor itself`)
  })
}

const nested: [name: string, page: string, has: RegExp][] = [
  ['200,000 elements', '<div>'.repeat(200_000), /^end$/],
  ['100,000 lists', '<ul><li>x'.repeat(100_000), /- x/],
  ['20,000 tables', '<table><tr><td>x<td>y'.repeat(20_000), /x\n\ny/],
  ['cells that span everything', `<table>${'<tr><td rowspan=65000 colspan=1000>x'.repeat(20_000)}</table>`, /^x/],
]

for (const [name, start, has] of nested) {
  t.test(`converts a page of ${name} with what an ordinary one has`, async (t) => {
    const { content, type } = await convert(Buffer.from(`<!doctype html><html><body>${start}end`))
    t.equal(type, 'text/html')
    t.match(content, has)
    t.match(content, /end/)
  })
}

function peakOf(pid: number): number {
  const status = read(`/proc/${pid}/status`)
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0)
}

function microseconds({ user, system }: NodeJS.CpuUsage): number {
  return user + system
}
