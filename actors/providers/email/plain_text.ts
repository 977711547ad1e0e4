/** The words of an HTML mail whose sender gave no text: for reading, not for showing as HTML again. */
export function plainText(html: string): string {
  return html
    .replaceAll(/<!--[\s\S]*?-->|<(script|style|head|title)\b[\s\S]*?<\/\1\s*>/gi, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/<br\s*\/?>|<\/(?:p|div|tr|li|h[1-6]|blockquote|table)\s*>/gi, '\n')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi, (entity, decimal, hex, name) => {
      if (name !== undefined) return NAMED[name.toLowerCase()] ?? entity
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
      return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : '\ufffd'
    })
    .replaceAll(/[ \t\u00a0]+/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }
