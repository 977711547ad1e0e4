/** HTML that is safe by construction: text becomes HTML only through `html`, which escapes it, or `trusted`. */

export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type Content = Html | string | number | undefined | false | readonly Content[]

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (one) => ESCAPES[one]!)
}

/** Text is escaped, HTML kept; `undefined` and `false` are left out. */
export function html(parts: TemplateStringsArray, ...contents: Content[]): Html {
  return new Html(parts.map((part, index) => part + (index < contents.length ? textOf(contents[index]) : '')).join(''))
}

/** Marks text as HTML that was escaped already. */
export function trusted(text: string): Html {
  return new Html(text)
}

function textOf(content: Content): string {
  if (content === undefined || content === false) return ''
  if (content instanceof Html) return content.text
  if (typeof content === 'string') return escaped(content)
  return typeof content === 'number' ? String(content) : content.map(textOf).join('')
}
