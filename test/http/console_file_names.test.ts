/** A stranger's file cannot look like another kind of file, and does not run when an agent opens what was saved. */
import { join } from 'node:path'
import t from 'tap'
import type { Json } from '../e2e/client.ts'

const page = join(import.meta.dirname, '../../http/console/page/crm/file_name.ts')
const { savedName, shownName }: Json = await import(page)

const SAVED: [string, string][] = [
  ['Factura 114.pdf', 'Factura 114.pdf'],
  ['foto.JPG', 'foto.JPG'],
  ['请假单.docx', '请假单.docx'],
  ['tabla.xlsx', 'tabla.xlsx'],
  ['sin extensión', 'sin extensión'],
  ['run.hta', 'run.hta.unsafe'],
  ['invoice.pdf.lnk', 'invoice.pdf.lnk.unsafe'],
  ['RUN.EXE', 'RUN.EXE.unsafe'],
  ['run.js. . ', 'run.js.unsafe'],
  ['run.bat:report.txt', 'run.bat_report.txt'],
  ['page.svg', 'page.svg.unsafe'],
  ['../../.bashrc', 'bashrc'],
  ['C:\\Users\\ana\\run.scr', 'run.scr.unsafe'],
  ['.htaccess', 'htaccess'],
  ['con.txt', '_con.txt'],
  ['invoice\u202efdp.exe', 'invoicefdp.exe.unsafe'],
  ['run.e\u200bxe', 'run.exe.unsafe'],
  ['sandbox.wsb', 'sandbox.wsb.unsafe'],
  ['fix.diagcfg', 'fix.diagcfg.unsafe'],
  ['root.CRT', 'root.CRT.unsafe'],
  ['phone.mobileconfig', 'phone.mobileconfig.unsafe'],
  ['page.webloc', 'page.webloc.unsafe'],
  ['files.library-ms', 'files.library-ms.unsafe'],
  ['...', ''],
]

t.test('a file is saved under a name that does not run', async (t) => {
  for (const [name, saved] of SAVED) t.equal(savedName(name), saved, JSON.stringify(name))
})

t.test('a name is shown in the order of its characters', async (t) => {
  t.equal(shownName('invoice\u202efdp.exe'), 'invoicefdp.exe')
  t.equal(shownName('a\nb\u2066c\u2028'), 'abc')
})

t.test('what is no text is no name', async (t) => {
  for (const name of [undefined, null, 7, {}, []]) {
    t.equal(shownName(name), '')
    t.equal(savedName(name), '')
  }
})
