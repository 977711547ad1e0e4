/** The text of RTF: for mails of Outlook, which has them inside winmail.dat. One pass. */
import { decodeText } from './charset.ts'

const MAX_LENGTH = 4 * 1024 * 1024
/** Groups that hold no text of the document. */
const HIDDEN =
  /^(?:fonttbl|colortbl|stylesheet|info|pict|object|themedata|datastore|generator|listtable|listoverridetable|rsidtbl|header|footer|xmlnstbl|latentstyles)$/
const BREAKS: Record<string, string> = {
  par: '\n',
  line: '\n',
  row: '\n',
  sect: '\n',
  page: '\n',
  tab: '\t',
  cell: '\t',
}
const SIGNS: Record<string, string> = {
  emdash: '—',
  endash: '–',
  bullet: '•',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
}
const TOKEN = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z'])|([{}])|([^\\{}\r\n]+)|[\r\n]+|\\/gi

type Group = { is_hidden: boolean; skips: number }

/** Text that was HTML before Outlook wrapped it comes out without its tags, as a viewer of RTF shows it. */
export function rtfText(rtf: string): string {
  const source = rtf.slice(0, MAX_LENGTH)
  const charset = `windows-${/\\ansicpg(\d{3,5})/.exec(source.slice(0, 1_000))?.[1] ?? '1252'}`
  let result = ''
  let bytes: number[] = []
  const stack: Group[] = []
  let group: Group = { is_hidden: false, skips: 1 }
  /** Characters that stand for the one before, for programs without Unicode. */
  let skip = 0
  const flush = () => {
    if (bytes.length > 0) result += decodeText(Buffer.from(bytes), charset)
    bytes = []
  }
  const write = (text: string) => {
    flush()
    if (!group.is_hidden) result += text
  }
  for (const [, word, number, hex, sign, brace, text] of source.matchAll(TOKEN)) {
    if (brace === '{') {
      stack.push(group)
      group = { ...group }
    } else if (brace === '}') {
      flush()
      group = stack.pop() ?? { is_hidden: false, skips: 1 }
    } else if (hex) {
      if (skip > 0) skip -= 1
      else if (!group.is_hidden) bytes.push(Number.parseInt(hex, 16))
    } else if (sign) {
      if (sign === '*') group.is_hidden = true
      else if (sign === '~') write('\u00a0')
      else if (/[\\{}]/.test(sign)) write(sign)
    } else if (text) {
      const kept = text.slice(Math.min(skip, text.length))
      skip = Math.max(0, skip - text.length)
      write(kept)
    } else if (word) {
      const name = word.toLowerCase()
      if (HIDDEN.test(name)) group.is_hidden = true
      else if (name === 'uc') group.skips = Math.min(Number(number ?? 1), 10)
      else if (name === 'u' && number) {
        write(String.fromCharCode((Number(number) + 65_536) % 65_536))
        skip = group.skips
      } else if (BREAKS[name] ?? SIGNS[name]) write(BREAKS[name] ?? SIGNS[name]!)
    }
  }
  flush()
  return result.toWellFormed().trim()
}
