/** Languages in which answers are judged, by ISO 639-1 code. */
export const judgedLanguages = ['en', 'es', 'pt', 'fr', 'de', 'it', 'nl', 'pl', 'tr', 'ru', 'ar', 'zh', 'ja'] as const
