/** Parts of a document that its text lacks, said to the person who imported it. */

export type ImportWarning = {
  code: WarningCode
  /** For people, with the count. */
  message: string
  /** Parts, pages or characters. */
  count: number
}

/** A sentence for each count. Navigation is left out on purpose; whatever else is named here is missing. */
const MESSAGES = {
  navigation_left_out: (count: number) => `${parts(count)} with navigation ${were(count)} left out.`,
  embedded_left_out: (count: number) =>
    `${count === 1 ? '1 page that is' : `${count} pages that are`} embedded in this one ${were(count)} left out. Import their addresses.`,
  scripts_left_out: (count: number) =>
    `The page has little text, and ${count === 1 ? '1 script that may bring' : `${count} scripts that may bring`} more. If it lacks something, open it in a browser, save it as a complete web page, and import that file.`,
  pages_without_text: (count: number) =>
    `${pages(count)} without text. Run text recognition (OCR) on scanned pages, then import the document again.`,
  text_unreadable: (count: number) =>
    `${pages(count)} with text that could not be read: its fonts do not say which letters they show.`,
  attachments_left_out: (count: number) =>
    `${count === 1 ? '1 file that is' : `${count} files that are`} attached to the PDF ${were(count)} left out. Import each by itself.`,
  letters_unreadable: (count: number) => `${count === 1 ? '1 character' : `${count} characters`} could not be read.`,
} as const

export type WarningCode = keyof typeof MESSAGES
const warningCodes = Object.keys(MESSAGES) as WarningCode[]

/** The warnings whose count is not 0. */
export function warningsOf(counts: Partial<Record<WarningCode, number>>): ImportWarning[] {
  return warningCodes.flatMap((code) => {
    const count = counts[code] ?? 0
    return count > 0 ? [{ code, message: MESSAGES[code](count), count }] : []
  })
}

function parts(count: number): string {
  return count === 1 ? '1 part' : `${count} parts`
}

function pages(count: number): string {
  return count === 1 ? '1 page' : `${count} pages`
}

function were(count: number): string {
  return count === 1 ? 'was' : 'were'
}
