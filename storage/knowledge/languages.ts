/**
 * Languages of documents, by ISO 639-1 code, with PostgreSQL's stemmer for each. Words of a language without a stemmer
 * are indexed as written. Stemmers that a release of PostgreSQL lacks count as missing (`stems.ts`).
 */
const STEMMERS: Record<string, string | null> = {
  am: null,
  ar: 'arabic',
  az: null,
  be: null,
  bg: null,
  bn: null,
  ca: 'catalan',
  cs: null,
  da: 'danish',
  de: 'german',
  el: 'greek',
  en: 'english',
  es: 'spanish',
  et: 'estonian',
  eu: 'basque',
  fa: null,
  fi: 'finnish',
  fr: 'french',
  ga: 'irish',
  gu: null,
  he: null,
  hi: 'hindi',
  hr: null,
  hu: 'hungarian',
  hy: 'armenian',
  id: 'indonesian',
  is: null,
  it: 'italian',
  ja: null,
  ka: null,
  kn: null,
  ko: null,
  ku: null,
  lo: null,
  lt: 'lithuanian',
  lv: null,
  ml: null,
  mr: null,
  ms: null,
  ne: 'nepali',
  nl: 'dutch',
  no: 'norwegian',
  or: null,
  pa: null,
  pl: null,
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sk: null,
  sl: null,
  sq: null,
  sr: 'serbian',
  sv: 'swedish',
  ta: 'tamil',
  te: null,
  th: null,
  tl: null,
  tr: 'turkish',
  uk: null,
  ur: null,
  vi: null,
  yi: 'yiddish',
  yo: null,
  zh: null,
}

/** The languages that a document may have. */
export const knowledgeLanguages: readonly string[] = Object.keys(STEMMERS)

/** The dictionary of PostgreSQL that stems words of the language, such as `english_stem`; undefined without one. */
export function stemmerOf(language: string | null): string | undefined {
  const name = language === null ? null : STEMMERS[language]
  return name ? `${name}_stem` : undefined
}

export function isKnowledgeLanguage(code: string): boolean {
  return Object.hasOwn(STEMMERS, code)
}
