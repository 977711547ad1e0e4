export type Block = { language: string; code: string; line: number }

/** Returns the fenced code blocks of a page, in order. */
export function blocksOf(page: string): Block[] {
  return [...page.matchAll(/^```(\w+)?\n(.*?)^```$/gms)].map(({ 1: language = '', 2: code = '', index }) => ({
    language,
    code,
    line: page.slice(0, index).split('\n').length,
  }))
}

/** Returns the targets of the links of a page, as written. */
export function linksOf(page: string): string[] {
  return [...page.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!)
}

/** Returns the names under which GitHub links to the headings of a page. */
export function anchorsOf(page: string): string[] {
  return [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\d _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}
