/** text/enriched (RFC 1896) and text/richtext without their commands. One pass. */

const COMMAND = /<<|<(\/?)([a-z0-9-]{1,60})>/gi

export function enrichedText(text: string): string {
  // Only the lines count that are divided by more than one line end.
  const lines = text
    .replaceAll('\r\n', '\n')
    .replaceAll(/\n{1,1000}/g, (ends) => (ends.length === 1 ? ' ' : ends.slice(1)))
  let result = ''
  let end = 0
  let hidden = 0
  for (const { 0: command, 1: closes, 2: name, index } of lines.matchAll(COMMAND)) {
    if (hidden === 0) result += lines.slice(end, index)
    end = index + command.length
    if (command === '<<') result += '<'
    else if (/^(?:param|comment)$/i.test(name!)) hidden = Math.max(0, hidden + (closes ? -1 : 1))
    else if (/^(?:nl|np|paragraph)$/i.test(name!)) result += '\n'
  }
  return hidden === 0 ? result + lines.slice(end) : result
}
