/** Lines that a program broke to fit are joined again (RFC 3676). */

/** `delsp`: the blank at the end of a broken line was added, too. */
export function unflowed(text: string, delsp: boolean): string {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const paragraphs: string[][] = []
  let quotes = -1
  for (const line of lines) {
    const marks = /^>*/.exec(line)![0].length
    const content = line.slice(marks).replace(/^ /, '')
    const is_flowed = content.endsWith(' ') && content !== '-- '
    const words = is_flowed && delsp ? content.slice(0, -1) : content
    if (quotes === marks && content !== '-- ') paragraphs.at(-1)!.push(words)
    else paragraphs.push([marks > 0 ? `${'>'.repeat(Math.min(marks, MAX_QUOTES))} ${words}` : words])
    quotes = is_flowed ? marks : -1
  }
  return paragraphs.map((pieces) => pieces.join('')).join('\n')
}

/** Each mark costs its length on every line. */
const MAX_QUOTES = 8
