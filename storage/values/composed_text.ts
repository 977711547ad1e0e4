/**
 * V8 sorts the marks of one letter by insertion: 450,000 marks hold the event loop for almost a minute. No language
 * puts more than about ten marks on a letter. UTF-16 units.
 */
const MAX_MARKS = 64

/**
 * The text in composed form (NFC), in linear time. A text with more than 64 marks on one letter stays as it is written:
 * then it is equal to the same text only when both are written in the same way.
 */
export function composed(text: string, form: 'NFC' | 'NFKC' | 'NFKD' = 'NFC'): string {
  for (const [marks] of text.matchAll(/\p{M}+/gu)) if (marks.length > MAX_MARKS) return text
  return text.normalize(form)
}
